// SPDX-License-Identifier: Apache-2.0
//
// Can these be keys? What can be told by looking, in words that never show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perdure/dynamodb/keys.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Wrong, and wrong it stays: `invalid`, of the application.
Fail refused(std::string code, std::string message);

// How the three parts are called where they came from, for messages.
struct KeyParts {
    std::string id{}, secret{}, token{};
};

// Both halves are there, and nothing that no key has: white space, a line end, anything but ASCII.
Result<void> check(const Keys& keys, const KeyParts& names);

// "2026-11-16T16:00:00Z", with fractions and offsets: RFC 3339, and an offset without its colon. What
// lies beyond the range of WallTime is held at its end.
std::optional<WallTime> parse_timestamp(std::string_view text);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
