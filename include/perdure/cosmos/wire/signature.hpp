// SPDX-License-Identifier: Apache-2.0
//
// How does the account know that a request is ours? By the authorization header: a signature with the
// account's key, made anew for every attempt because the date is part of it, or somebody's token.
//
//     const auto key = MasterKey::from(account_key);
//     key->append_authorization(out, {.verb = "GET", .type = "docs",
//                                     .link = "dbs/d1/colls/c1/docs/Item 1", .date = date});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Plain views.
struct ToSign {
    std::string_view verb{};  // in any case
    std::string_view type{};  // "docs"; empty for the account itself
    std::string_view
        link{};  // un-encoded, without slashes at its ends; by name, or a RID in lower case
    std::string_view date{};  // as it is sent in x-ms-date
};

// The account's key, prepared for signing; it cannot be asked for again. Cheap to copy; any number of
// threads may sign with one.
class MasterKey {
public:
    // 64 bytes as a rule; any number is taken. The failure is `invalid`, of the application,
    // "invalid-account-key", and shows nothing of it.
    static Result<MasterKey> from(std::string_view base64);

    // The header's value, percent-encoded: "type%3Dmaster%26ver%3D1.0%26sig%3D…".
    void append_authorization(std::string& out, const ToSign& what) const;

private:
    class Signing;
    explicit MasterKey(std::shared_ptr<const Signing> signing) noexcept;

    std::shared_ptr<const Signing> signing_;
};

// `aad`: an access token of Entra ID. `resource`: a token the service handed out, which says
// "type=resource&ver=…&sig=…" already.
enum class TokenKind : std::uint8_t { aad, resource };
void append_token_authorization(std::string& out, TokenKind kind, std::string_view token);

// "Fri, 02 Jan 2026 03:04:05 GMT", rounded down; what x-ms-date says.
void append_date(std::string& out, WallTime at);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
