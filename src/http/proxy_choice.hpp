// SPDX-License-Identifier: Apache-2.0
//
// Through which proxy, if any, is a URL reached? Asked when a route is made.
#pragma once

#include <optional>
#include <string_view>

#include "perdure/http/client.hpp"
#include "route.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

Result<std::optional<ProxyHop>> proxy_for(const Url& url, const ClientOptions& options);

// Whether a list as in no_proxy ("localhost,.example.com,10.0.0.1" or "*") covers a host: the name
// itself, and every name below it. Networks ("10.0.0.0/8") too, for numeric hosts.
bool exempt(std::string_view no_proxy, std::string_view host);

}  // namespace http
}  // namespace v0
}  // namespace perdure
