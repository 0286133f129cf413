// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/set.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

bool detail::same_when_sorted(std::vector<std::string_view> a, std::vector<std::string_view> b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
