// SPDX-License-Identifier: Apache-2.0
//
// What does a request or reply look like after it was changed, and what do we answer ourselves?
//
//     send(Toward::server, rewritten(parser, verdict.rewrites));
//
// Framing is made anew: one Content-Length, whatever it was before. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perdure/chaos/plan.hpp"
#include "perdure/http/parser.hpp"
#include "perdure/http/request_parser.hpp"
#include "perdure/http/response.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// The rules that change what goes there.
std::vector<const Rule*> rewrites_toward(Toward toward, const std::vector<const Rule*>& rules);

std::string rewritten(const http::RequestParser& request, const std::vector<const Rule*>& rules);
std::string rewritten(http::Response reply, const std::vector<const Rule*>& rules);

// The reply of a rule that injects one; the answer to HEAD has no body.
std::string injected(const Rule& rule, std::string_view method);
// The reply to what is no request.
std::string refused(http::Problem problem);

// The raw request without the word that would make the server answer 100, for us who have done so.
std::string without_expect(std::string_view raw, std::size_t head_bytes);

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
