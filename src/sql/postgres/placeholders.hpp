// SPDX-License-Identifier: Apache-2.0
//
// How does a statement written with `?` read for PostgreSQL? With `$1`, `$2`, and `??` as the operator.
#pragma once

#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

struct Translated {
    std::string text{};
    int placeholders = 0;
};

// Strings, names, dollar quotes and comments are left as they are. `$1` written by hand passes, but
// not together with `?`.
[[nodiscard]] Result<Translated> translate(std::string_view statement);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
