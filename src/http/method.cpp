// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/method.hpp"

#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

Safety safety_of(std::string_view method) noexcept {
    if (method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE")
        return Safety::read;
    if (method == "PUT" || method == "DELETE") return Safety::idempotent;
    return Safety::once;
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && detail::all_are(text, detail::token);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
