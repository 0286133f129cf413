// SPDX-License-Identifier: Apache-2.0
//
// How does the service know that a request is ours? AWS Signature Version 4, made anew for every
// attempt, with the key of the day kept.
//
//     Signer signer{"eu-west-1"};
//     signer.append_headers(head, keys, clock.wall() + skew,
//                           {.host = "dynamodb.eu-west-1.amazonaws.com",
//                            .target = "DynamoDB_20120810.GetItem", .body = json});
//
// The steps of the general form serve whoever checks a signature, or signs for another service.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/dynamodb/keys.hpp"
#include "perdure/http/headers.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Whether keys can be signed with: an id and a secret, without spaces, control bytes and what would
// end a header or a part of one. The failure is `invalid`, "invalid-keys", and shows nothing of them.
Result<void> check(const Keys& keys);

// What makes up one attempt. Plain views; host, target and the two words about attempts go into
// headers as they are, so they must be free of control bytes.
struct ToSign {
    std::string_view host{};    // as in the Host header, with a port that is not the usual one
    std::string_view target{};  // "DynamoDB_20120810.GetItem"
    std::string_view invocation_id{};  // empty: left out and not signed
    std::string_view attempt{};        // "attempt=2; max=4"; empty: left out and not signed
    std::string_view body{};
};

// Signs POST / with a JSON 1.0 body. Any number of threads, with any number of keys: the derived key
// of the last pair and day is kept, other ones are derived afresh.
class Signer {
public:
    explicit Signer(std::string region, std::string service = "dynamodb");
    Signer(const Signer&) = delete;
    Signer& operator=(const Signer&) = delete;
    ~Signer();

    // Appends Content-Type, X-Amz-Date, X-Amz-Target, X-Amz-Security-Token if there is one,
    // amz-sdk-invocation-id, amz-sdk-request and Authorization, each ending in CRLF. Host and
    // Content-Length are the caller's. `keys` have passed `check`.
    void append_headers(std::string& out, const Keys& keys, WallTime at, const ToSign& what) const;

    [[nodiscard]] const std::string& region() const noexcept { return region_; }

private:
    struct Derived;
    std::shared_ptr<const Derived> derived(const Keys& keys, std::string_view day) const;

    std::string region_;
    std::string service_;
    std::string scope_;  // "/eu-west-1/dynamodb/aws4_request": what follows the day
    struct Latest;       // the derived key that is kept, and its lock
    const std::unique_ptr<Latest> latest_;
};

// The general form, step by step. Pure; any thread.

// S3 alone signs a path as it is written; everybody else resolves dots and merges slashes first.
enum class PathForm : std::uint8_t { normalized, as_written };

struct CanonicalRequest {
    std::string_view method = "POST";
    std::string_view path = "/";
    std::string_view query{};                 // without the question mark
    std::span<const http::Header> headers{};  // all of them are signed, in whatever order they come
    std::string_view body_hash{};             // sha256_hex of the body
    PathForm path_form = PathForm::normalized;
};

// For which moment, where and for whom a signature is good.
struct SigningScope {
    WallTime at{};
    std::string_view region{};
    std::string_view service = "dynamodb";
};

std::string sha256_hex(std::string_view bytes);
std::string amz_date(WallTime at);  // "20260102T030405Z", rounded down
std::string signed_headers(std::span<const http::Header> headers);
std::string canonical_request(const CanonicalRequest& request);
std::string string_to_sign(const SigningScope& scope, std::string_view canonical);
std::string signature(const Keys& keys, const SigningScope& scope, std::string_view to_sign);
// The value of Authorization.
std::string authorization(const Keys& keys, const SigningScope& scope,
                          std::span<const http::Header> headers, std::string_view signature);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
