// SPDX-License-Identifier: Apache-2.0
//
// What do the URLs of targets that are no SQL database have in common? Names that may be escaped, and
// parameters behind a question mark.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace tool::load {

// Failure: invalid, code "target", with what to write instead.
[[nodiscard]] perdure::Fail wrong_target(std::string message);

// "%2F" is a slash.
[[nodiscard]] perdure::Result<std::string> unescaped(std::string_view text);

using OnParameter = std::function<perdure::Result<void>(std::string_view name, std::string value)>;
// Each of "region=eu-west-1&profile=test", unescaped.
[[nodiscard]] perdure::Result<void> each_parameter(std::string_view text, const OnParameter& each);
// Failure: it is empty, or was set before.
[[nodiscard]] perdure::Result<void> set_once(std::string& into, std::string_view name,
                                             std::string value);

}  // namespace tool::load
