// SPDX-License-Identifier: Apache-2.0
//
// The writes that can tell afterwards whose they were.
#include <utility>

#include "item_body.hpp"
#include "perdure/cosmos/replace_versioned.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Result<void> CreateOnce::describe(Envelope& envelope, const CallFacts& facts) const {
    PERDURE_TRY(valid_item(json_));
    const auto id = Document{json_}.id();
    if (!id) return fail(invalid_request("an item that is created once needs an id"));
    PERDURE_TRY(check_item_id(*id));
    PERDURE_TRY(check_marker(marker_, mine(facts)));
    envelope.body = with_marker(json_, marker_, mine(facts));
    PERDURE_TRY(check_size(envelope.body));
    PERDURE_TRY(begin_items(envelope, Verb::post, container_, key_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> CreateOnce::read(Reply& reply, const CallFacts&) const {
    if (reply.response.status == 409)
        return fail({.cause = Cause::conflict,
                     .effect = Effect::unknown,
                     .status = 409,
                     .code = "409",
                     .message = "the id is taken, perhaps by an earlier call with this token"});
    return read_written(reply, wanted_if(returns_item_));
}

std::optional<FindItem> CreateOnce::question() const {
    auto id = Document{json_}.id();
    if (!id) return std::nullopt;
    return FindItem{container_, *std::move(id), key_};
}

Landed<Written> CreateOnce::landed(std::optional<Item> now, const CallFacts& facts) const {
    if (!now) return Landed<Written>::pending({});
    const std::string whose = marker_in(now->json, marker_);
    if (whose == mine(facts)) {
        auto found = landed_with(*std::move(now), wanted_if(returns_item_));
        found.value().created = true;
        return found;
    }
    return whose.empty() ? Landed<Written>::unknown() : Landed<Written>::no();
}

Result<void> ReplaceVersioned::describe(Envelope& envelope, const CallFacts& facts) const {
    PERDURE_TRY(begin_item(envelope, Verb::put, container_, id_, key_));
    PERDURE_TRY(check_marker(marker_, facts.id));
    PERDURE_TRY_VALUE(const std::string item, item_with_id(json_, id_));
    envelope.body = with_marker(item, marker_, facts.id);
    PERDURE_TRY(check_size(envelope.body));
    if (etag_ == "*") return fail(invalid_request("any version (*) is no version"));
    PERDURE_TRY(add_etag(envelope, etag_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> ReplaceVersioned::read(Reply& reply, const CallFacts&) const {
    return read_written(reply, wanted_if(returns_item_));
}

std::optional<FindItem> ReplaceVersioned::question() const {
    return FindItem{container_, id_, key_};
}

Landed<Written> ReplaceVersioned::landed(std::optional<Item> now, const CallFacts& facts) const {
    // Gone: ours may have been there before it was deleted.
    if (!now) return Landed<Written>::unknown();
    if (now->etag == etag_) return Landed<Written>::pending({});
    if (marker_in(now->json, marker_) != facts.id) return Landed<Written>::unknown();
    return landed_with(*std::move(now), wanted_if(returns_item_));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
