// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/pages.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

std::vector<Pages<Scan>> segments(Client& client, const Scan& scan, int n,
                                  const CallOptions& options) {
    const int of = std::max(n, 1);
    std::vector<Pages<Scan>> parts;
    parts.reserve(static_cast<std::size_t>(of));
    for (int which = 0; which < of; ++which)
        parts.push_back(pages(client, Scan{scan}.segment(which, of), options));
    return parts;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
