// SPDX-License-Identifier: Apache-2.0
//
// What does a server send back? A response as the bytes of HTTP/1.1, for the fault proxy and for
// servers in tests.
//
//     append_response(out, {.status = 503, .reason = "Busy"});
#pragma once

#include <string>

#include "perdure/http/response.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Framing is ours: Content-Length and Transfer-Encoding among the headers are left out, and
// Content-Length is written from the body, except for answers that have none (1xx, 204, 304).
// Trailers are not written. Header fields must be clean; see check() in request.hpp.
void append_response(std::string& out, const Response& response);

}  // namespace http
}  // namespace v0
}  // namespace perdure
