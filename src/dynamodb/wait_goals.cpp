// SPDX-License-Identifier: Apache-2.0
#include "wait_goals.hpp"

#include <string_view>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// Under the rule of polling: nothing is wrong, and nothing is paid.
Fail not_yet(std::string_view what) {
    return fail({.cause = Cause::contended,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .rule = "not-yet",
                 .code = "not-yet",
                 .message = std::string{what}});
}

std::string_view in_words(TableStatus status) noexcept {
    switch (status) {
        case TableStatus::creating: return "the table is being created";
        case TableStatus::updating: return "the table is being changed";
        case TableStatus::deleting: return "the table is being deleted";
        case TableStatus::active: return "the table is active";
        case TableStatus::other: break;
    }
    return "the table is in a state of its own";
}

bool is_missing(const Result<TableDescription>& said) {
    return !said && said.error().cause == Cause::not_found;
}
// It is there, or just being changed.
bool is_taken(const Result<TableDescription>& said) {
    return !said && said.error().cause == Cause::conflict;
}

}  // namespace

Result<TableDescription> UntilActive::look(Result<TableDescription> now) const {
    if (is_missing(now)) return not_yet("there is no such table");
    if (!now || now->status == TableStatus::active) return now;
    return not_yet(in_words(now->status));
}

Result<void> UntilGone::look(Result<TableDescription> now) const {
    if (is_missing(now)) return {};
    if (!now) return now.take_failure();
    return not_yet(in_words(now->status));
}

std::optional<Result<TableDescription>> Ensured::look(Result<TableDescription> now) const {
    if (is_missing(now) && !done) return std::nullopt;
    auto seen = UntilActive{}.look(std::move(now));
    if (seen && seen->key != request.key())
        return fail({.cause = Cause::conflict,
                     .effect = Effect::none,
                     .origin = Origin::application,
                     .code = "other-key",
                     .message = "the table " + seen->name + " is there, with another key"});
    return seen;
}

Result<TableDescription> Ensured::acted(Result<TableDescription> said) {
    if (!said && !is_taken(said)) return said;
    done = true;
    return not_yet("the table is being created");
}

std::optional<Result<void>> EnsuredGone::look(Result<TableDescription> now) const {
    const bool stands = now && now->status != TableStatus::deleting;
    if (stands && !done) return std::nullopt;
    return UntilGone{}.look(std::move(now));
}

Result<void> EnsuredGone::acted(Result<TableDescription> said) {
    if (is_missing(said)) return {};
    if (is_taken(said)) return not_yet("the table is being changed");
    if (!said) return said.take_failure();
    done = true;
    return not_yet("the table is being deleted");
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
