// SPDX-License-Identifier: Apache-2.0
//
// What goes over the wire? A request as the bytes of HTTP/1.1.
//
//     append_request(out, request, "example.com", extra);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "perdure/http/headers.hpp"
#include "perdure/http/request.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Request line, Host, the extra fields, the request's own, Content-Length if there is a body or the
// method is one that has one (POST, PUT, PATCH), and the body. What the request says itself wins: its
// Host instead of `host`, its fields instead of extra ones of the same name. `origin` stands before
// the target: "http://example.com" for a proxy that is not tunnelled through. The request must have
// passed check(); the other arguments are the caller's to keep clean. `room_after` bytes will follow
// and are reserved in the same allocation.
void append_head(std::string& out, const Request& request, std::string_view host,
                 std::span<const Header> extra = {}, std::string_view origin = {},
                 std::size_t room_after = 0);
// The same with its body.
void append_request(std::string& out, const Request& request, std::string_view host,
                    std::span<const Header> extra = {}, std::string_view origin = {});

}  // namespace http
}  // namespace v0
}  // namespace perdure
