// SPDX-License-Identifier: Apache-2.0
//
// The requests that read, write and delete one item, without a marker.
#include <utility>

#include "item_body.hpp"
#include "perdure/cosmos/create_item.hpp"
#include "perdure/cosmos/patch_item.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/replace_item.hpp"
#include "perdure/cosmos/upsert_item.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Result<void> ReadItem::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(begin_item(envelope, Verb::get, container_, id_, key_));
    if (!etag_.empty()) {
        PERDURE_TRY(check_field("etag", etag_));
        envelope.add_field("If-None-Match", etag_);
    }
    envelope.consistency = consistency_;
    return {};
}

Result<void> CreateItem::describe(Envelope& envelope, const CallFacts& facts) const {
    PERDURE_TRY_VALUE(envelope.body, item_with_some_id(json_, facts.id));
    PERDURE_TRY(check_size(envelope.body));
    PERDURE_TRY(begin_items(envelope, Verb::post, container_, key_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> CreateItem::read(Reply& reply, const CallFacts&) const {
    return read_written(reply, wanted_if(returns_item_));
}

Result<void> UpsertItem::describe(Envelope& envelope, const CallFacts& facts) const {
    PERDURE_TRY_VALUE(envelope.body, item_with_some_id(json_, facts.id));
    PERDURE_TRY(check_size(envelope.body));
    PERDURE_TRY(begin_items(envelope, Verb::post, container_, key_));
    envelope.add_field("x-ms-documentdb-is-upsert", "True");
    PERDURE_TRY(add_etag(envelope, etag_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> UpsertItem::read(Reply& reply, const CallFacts&) const {
    return read_written(reply, wanted_if(returns_item_));
}

Result<void> ReplaceItem::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(begin_item(envelope, Verb::put, container_, id_, key_));
    PERDURE_TRY_VALUE(envelope.body, item_with_some_id(json_, id_));
    PERDURE_TRY(check_size(envelope.body));
    PERDURE_TRY(add_etag(envelope, etag_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> ReplaceItem::read(Reply& reply, const CallFacts&) const {
    return read_written(reply, wanted_if(returns_item_));
}

Result<void> PatchItem::describe(Envelope& envelope, const CallFacts&) const {
    if (idempotent_ && !patch_.repeatable() && !patch_.has_condition())
        return fail(
            invalid_request("a patch that counts, adds, moves or takes out of a list is not "
                            "idempotent: give it a condition or an etag"));
    PERDURE_TRY(begin_item(envelope, Verb::patch, container_, id_, key_));
    PERDURE_TRY(patch_.append_to(envelope.body));
    PERDURE_TRY(check_size(envelope.body));
    envelope.content_type = "application/json-patch+json";
    PERDURE_TRY(add_etag(envelope, etag_));
    if (!returns_item_) add_minimal(envelope);
    return {};
}

Result<Written> PatchItem::read(Reply& reply, const CallFacts&) const {
    return read_written(reply, wanted_if(returns_item_));
}

Result<void> DeleteItem::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(begin_item(envelope, Verb::remove, container_, id_, key_));
    return add_etag(envelope, etag_);
}

Result<Deleted> DeleteItem::read(Reply& reply, const CallFacts&) const {
    return read_deleted(reply);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
