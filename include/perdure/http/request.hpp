// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a server? Method, target, header fields, body, and what the caller knows about
// repeating it.
//
//     auto request = http::Request::post("/orders").body(json, "application/json").idempotency_key();
//
// A class with constructors, because g++ 12 destroys an aggregate with designated initialisers twice
// when it is made in the same expression as a co_await.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/http/headers.hpp"
#include "perdure/result.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Where the idempotency key comes from: nowhere, made by the client once per logical call, or given.
enum class Key : std::uint8_t { none, per_call, given };

// A plain value; shared by threads only while nobody changes it.
class Request {
public:
    Request(std::string method, std::string target)
        : method_{std::move(method)}, target_{std::move(target)} {}
    static Request get(std::string target) { return {"GET", std::move(target)}; }
    static Request head(std::string target) { return {"HEAD", std::move(target)}; }
    static Request post(std::string target) { return {"POST", std::move(target)}; }
    static Request put(std::string target) { return {"PUT", std::move(target)}; }
    static Request patch(std::string target) { return {"PATCH", std::move(target)}; }
    static Request del(std::string target) { return {"DELETE", std::move(target)}; }

    // Adds; the same name may stand there twice. `headers().set` replaces.
    Request& header(std::string_view name, std::string_view value) &;
    Request& body(std::string bytes, std::string_view content_type = {}) &;
    // What the caller declares wins over what the method and a key say.
    Request& safety(Safety declared) &;
    // The caller says that the server honours the key, which makes a repeat harmless: `guarded`.
    // Without a key of the caller's the client makes one per logical call, the same for all its
    // attempts, so that a request sent in two calls is done twice.
    Request& idempotency_key() &;
    Request& idempotency_key(std::string_view given) &;
    // Another name than "Idempotency-Key", said before the key.
    Request& key_header(std::string name) &;
    // A status from 400 on that is an answer to this caller and not a failure. Several may be named.
    Request& answers(int status) &;
    // A copy that neither has nor gets an idempotency key, nor its header.
    [[nodiscard]] Request without_key() const;
    // Asks the same elsewhere, as a redirect wants it.
    Request& retarget(std::string method, std::string target) &;

    Request&& header(std::string_view name, std::string_view value) && {
        return std::move(header(name, value));
    }
    Request&& body(std::string bytes, std::string_view content_type = {}) && {
        return std::move(body(std::move(bytes), content_type));
    }
    Request&& safety(Safety declared) && { return std::move(safety(declared)); }
    Request&& idempotency_key() && { return std::move(idempotency_key()); }
    Request&& idempotency_key(std::string_view given) && {
        return std::move(idempotency_key(given));
    }
    Request&& key_header(std::string name) && { return std::move(key_header(std::move(name))); }
    Request&& answers(int status) && { return std::move(answers(status)); }

    [[nodiscard]] const std::string& method() const noexcept { return method_; }
    [[nodiscard]] const std::string& target() const noexcept { return target_; }
    [[nodiscard]] const Headers& headers() const noexcept { return headers_; }
    [[nodiscard]] Headers& headers() noexcept { return headers_; }
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    [[nodiscard]] Safety safety() const noexcept;
    [[nodiscard]] Key key() const noexcept { return key_; }
    [[nodiscard]] std::string_view key_header() const noexcept;
    [[nodiscard]] bool is_answer(int status) const noexcept;

private:
    std::string method_;
    std::string target_;
    Headers headers_{};
    std::string body_{};
    std::optional<Safety> declared_{};
    Key key_ = Key::none;
    std::string key_header_{};  // empty: the usual one
    std::vector<int> answers_{};
};

// Whether it can be sent as one request and nothing else: method and header names are tokens, target
// and values hold nothing that could end a line, and no header is there that is ours to write (how
// the body is framed, what happens to the connection). Host may be given once. The failure is
// `invalid`, of the application, "invalid-request", and names the header, never its value.
Result<void> check(const Request& request);

}  // namespace http
}  // namespace v0
}  // namespace perdure
