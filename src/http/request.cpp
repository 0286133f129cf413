// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "perdure/http/method.hpp"
#include "scan.hpp"
#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// They say how the body is framed and what becomes of the connection. Two voices on that are how a
// request comes to be read as two.
constexpr std::array<std::string_view, 10> ours = {
    "Content-Length", "Transfer-Encoding", "Connection",       "Upgrade",       "TE", "Trailer",
    "Expect",         "Keep-Alive",        "Proxy-Connection", "HTTP2-Settings"};

// Bit n: one of ours has n letters. Most names are done with there.
constexpr std::uint32_t lengths_of_ours = [] {
    std::uint32_t lengths = 0;
    for (const std::string_view one : ours) lengths |= 1U << one.size();
    return lengths;
}();

bool is_ours(std::string_view name) noexcept {
    if (name.size() >= 32 || (lengths_of_ours >> name.size() & 1U) == 0) return false;
    return std::any_of(ours.begin(), ours.end(),
                       [&](std::string_view one) { return same_name(name, one); });
}

// Sixteen bytes at a time first: nearly every name is of letters and hyphens, and nearly every value
// without any control character, a tab included.
bool is_field_name(std::string_view name) noexcept {
    return (!name.empty() && detail::all_plain_name(name)) || is_token(name);
}
bool is_value(std::string_view value) noexcept {
    return detail::no_control(value) || detail::all_are(value, detail::field_text);
}

Fail refuse(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-request",
                 .message = std::move(message)});
}

bool is_target(std::string_view target) noexcept {
    const bool form = target.starts_with('/') || target == "*" || target.starts_with("http://") ||
                      target.starts_with("https://");
    return form && detail::all_are(target, detail::target) &&
           target.find('#') == std::string_view::npos;
}

Result<void> check(const Headers& headers) {
    bool host = false;
    for (const auto& [name, value] : headers) {
        // A name that is no token is not shown: it may be a value in the wrong place.
        if (!is_field_name(name)) return refuse("a header's name is no token");
        if (!is_value(value))
            return refuse("the value of " + std::string{name} + " has a control character");
        if (is_ours(name)) return refuse(std::string{name} + " is not the caller's to set");
        if (!same_name(name, "host")) continue;
        if (host) return refuse("Host is there twice");
        host = true;
    }
    return {};
}

}  // namespace

Request& Request::header(std::string_view name, std::string_view value) & {
    headers_.add(name, value);
    return *this;
}

Request& Request::body(std::string bytes, std::string_view content_type) & {
    body_ = std::move(bytes);
    if (!content_type.empty()) headers_.set("Content-Type", content_type);
    return *this;
}

Request& Request::safety(Safety declared) & {
    declared_ = declared;
    return *this;
}

Request& Request::idempotency_key() & {
    key_ = Key::per_call;
    return *this;
}

Request& Request::idempotency_key(std::string_view given) & {
    key_ = Key::given;
    headers_.set(key_header(), given);
    return *this;
}

Request& Request::key_header(std::string name) & {
    key_header_ = std::move(name);
    return *this;
}

Request& Request::answers(int status) & {
    answers_.push_back(status);
    return *this;
}

Request Request::without_key() const {
    Request request = *this;
    if (key_ != Key::none) request.headers_.remove(key_header());
    request.key_ = Key::none;
    return request;
}

Request& Request::retarget(std::string method, std::string target) & {
    method_ = std::move(method);
    target_ = std::move(target);
    return *this;
}

Safety Request::safety() const noexcept {
    if (declared_) return *declared_;
    const Safety by_method = safety_of(method_);
    return by_method == Safety::once && key_ != Key::none ? Safety::guarded : by_method;
}

std::string_view Request::key_header() const noexcept {
    return key_header_.empty() ? "Idempotency-Key" : std::string_view{key_header_};
}

bool Request::is_answer(int status) const noexcept {
    return std::find(answers_.begin(), answers_.end(), status) != answers_.end();
}

Result<void> check(const Request& request) {
    if (!is_token(request.method())) return refuse("the method is no token");
    // Its answer is a tunnel, which is the transport's business.
    if (request.method() == "CONNECT") return refuse("CONNECT is not the caller's to send");
    if (!is_target(request.target()))
        return refuse("the target must begin with / or http(s)://, or be *, and have no space, "
                      "control character, fragment or byte outside ASCII");
    if (request.key() != Key::none &&
        (!is_token(request.key_header()) || is_ours(request.key_header()) ||
         same_name(request.key_header(), "host")))
        return refuse("the name of the idempotency key's header cannot be used");
    return check(request.headers());
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
