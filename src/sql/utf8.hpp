// SPDX-License-Identifier: Apache-2.0
//
// Is this text well-formed UTF-8, as RFC 3629 has it? Databases refuse other text late and in many
// ways.
#pragma once

#include <string_view>

namespace perdure {
inline namespace v0 {
namespace sql {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace sql
}  // namespace v0
}  // namespace perdure
