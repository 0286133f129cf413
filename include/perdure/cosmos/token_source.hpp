// SPDX-License-Identifier: Apache-2.0
//
// Who gives the token, if the account's key is not to be had? An application that signs in with Entra
// ID, or hands out resource tokens, brings its own source.
//
//     class Signed final : public cosmos::TokenSource {
//         std::optional<Token> current(WallTime now) override { … }     // never waits
//         void renew(const Token& refused) override { … }               // begins to fetch another
//     };
//
// The scope to ask Entra ID for: https://{account host}/.default
#pragma once

#include <optional>
#include <string>

#include "perdure/cosmos/wire/signature.hpp"
#include "perdure/duration.hpp"
#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Token {
    std::string text{};
    TokenKind kind = TokenKind::aad;
    friend bool operator==(const Token&, const Token&) = default;
};

// Called from every thread of the client at once; must not wait. Tokens are fetched ahead of their
// expiry, elsewhere.
class TokenSource {
public:
    TokenSource() = default;
    TokenSource(const TokenSource&) = delete;
    TokenSource& operator=(const TokenSource&) = delete;
    virtual ~TokenSource();

    // Nothing: it is on its way; the call asks again until its time is up.
    [[nodiscard]] virtual std::optional<Token> current(WallTime now) = 0;
    // The service has refused this one. Said once for each that is refused.
    virtual void renew(const Token& refused) = 0;
    // Why there will be none.
    [[nodiscard]] virtual std::optional<Failure> problem() const { return std::nullopt; }
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
