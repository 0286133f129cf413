// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/limits.hpp"

#include <algorithm>
#include <string>

#include "json_scan.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

Fail refuse_id(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "invalid-id",
                 .message = std::move(message)});
}

// The service takes '?' in the ids of items, and finds them again, by the tests of .NET and JS. It creates
// an item with '#', but its gateway cannot read it then (401).
bool is_forbidden(char c) noexcept { return c == '/' || c == '\\' || c == '#'; }
bool is_control(char c) noexcept { return (c >= 0 && c < 0x20) || c == 0x7f; }
// Of such letters nearly every id is made, and nothing is wrong with any of them.
bool is_usual(char c) noexcept { return c > ' ' && c < 0x7f && !is_forbidden(c); }

}  // namespace

Result<void> check_id(std::string_view id) {
    if (!id.empty() && id.size() <= longest_id && std::ranges::all_of(id, is_usual)) return {};
    if (id.empty()) return refuse_id("an id may not be empty");
    if (id.size() > longest_id)
        return refuse_id("the id has " + std::to_string(id.size()) + " bytes, and may have 1023");
    if (const auto at = std::ranges::find_if(id, is_forbidden); at != id.end())
        return refuse_id(std::string{"an id may not hold '"} + *at + "'");
    if (std::ranges::any_of(id, is_control))
        return refuse_id("an id may not hold control characters");
    if (id.back() == ' ') return refuse_id("an id may not end in a space");
    if (!is_utf8(id)) return refuse_id("an id must be UTF-8");
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
