// SPDX-License-Identifier: Apache-2.0
//
// Who are we to the service? A pair of keys, perhaps for a while.
//
//     dynamodb::Keys{"AKIDEXAMPLE", secret}                 // long-term
//     dynamodb::Keys{"ASIAEXAMPLE", secret, token}          // temporary, from a session
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value. Nothing prints it: what it holds must not reach a log.
struct Keys {
    Keys() = default;
    Keys(std::string access_key_id, std::string secret_access_key, std::string session_token = {})
        : id{std::move(access_key_id)},
          secret{std::move(secret_access_key)},
          token{std::move(session_token)} {}

    std::string id{};
    std::string secret{};
    std::string token{};                // empty: long-term keys
    std::optional<WallTime> expires{};  // nothing: they do not
    std::string account{};              // the account's number, where the source knows it

    friend bool operator==(const Keys&, const Keys&) = default;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
