// SPDX-License-Identifier: Apache-2.0
//
// What do a name and a password in a URL become? The value of an Authorization field.
#pragma once

#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace http {

// "Basic …" of "name:password" as it stands in a URL, percent-encoded. Empty for an empty one.
std::string basic_credentials(std::string_view userinfo);

}  // namespace http
}  // namespace v0
}  // namespace perdure
