// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/batch.hpp"

#include <algorithm>
#include <utility>

#include "item_body.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/cosmos/wire/limits.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// The key stands in the header once for all operations. Java, JS and .NET repeat it in each operation of
// bulk requests only, which are not atomic.
void append_head(std::string& body, std::string_view type) {
    if (body.size() > 1) body += ',';
    body.append(R"({"operationType":")").append(type).append(1, '"');
}

Result<std::string> id_in(std::string_view json) {
    PERDURE_TRY(valid_item(json));
    auto id = Document{json}.id();
    if (!id) return fail(invalid_request("an item in a batch needs an id"));
    return *std::move(id);
}

}  // namespace

std::string_view Batch::word(Kind kind) noexcept {
    switch (kind) {
        case Kind::create: return "Create";
        case Kind::upsert: return "Upsert";
        case Kind::read: return "Read";
        case Kind::replace: return "Replace";
        case Kind::remove: return "Delete";
        case Kind::patch: return "Patch";
    }
    return "Read";
}

Safety Batch::safety() const noexcept {
    if (!marker_.empty()) return Safety::guarded;
    const auto reads = [](const One& one) { return one.kind == Kind::read; };
    return std::ranges::all_of(operations_, reads) ? Safety::read : Safety::once;
}

Result<void> Batch::append_operation(std::string& body, const One& one) const {
    append_head(body, word(one.kind));
    const bool names_itself = one.kind == Kind::create || one.kind == Kind::upsert;
    if (names_itself) {
        PERDURE_TRY(id_in(one.json));
    } else {
        PERDURE_TRY(check_id(one.id));
        append_text_field(body, "id", one.id);
    }
    if (one.etag) {
        PERDURE_TRY(check_field("etag", *one.etag));
        append_text_field(body, "ifMatch", *one.etag);
    }
    if (one.kind == Kind::replace) {
        PERDURE_TRY_VALUE(const std::string item, item_with_id(one.json, one.id));
        body.append(",\"resourceBody\":").append(item);
    } else if (names_itself) {
        body.append(",\"resourceBody\":").append(one.json);
    } else if (one.kind == Kind::patch) {
        body += ",\"resourceBody\":";
        PERDURE_TRY(one.patch.append_to(body));
    }
    body += '}';
    return {};
}

Result<void> Batch::append_marker(std::string& body, const CallFacts& facts) const {
    if (marker_.empty()) return {};
    PERDURE_TRY(id_in(marker_));
    append_head(body, word(Kind::create));
    body.append(",\"resourceBody\":").append(with_marker(marker_, usual_marker, facts.id));
    body += '}';
    return {};
}

Result<void> Batch::describe(Envelope& envelope, const CallFacts& facts) const {
    if (operations_.empty()) return fail(invalid_request("the batch is empty"));
    if (expected() > most_batch_operations)
        return fail(invalid_request("a batch may have 100 operations, and has " +
                                    std::to_string(expected())));
    PERDURE_TRY(begin_items(envelope, Verb::post, container_, key_));
    envelope.direction = Envelope::Direction::write;
    envelope.add_field("x-ms-cosmos-is-batch-request", "True");
    envelope.add_field("x-ms-cosmos-batch-atomic", "True");
    envelope.add_field("x-ms-cosmos-batch-ordered", "True");
    envelope.add_field("x-ms-cosmos-batch-continue-on-error", "False");
    std::string& body = envelope.body;
    body.assign(1, '[');
    for (const One& one : operations_) {
        PERDURE_TRY(append_operation(body, one));
        PERDURE_TRY(check_size(body));
    }
    PERDURE_TRY(append_marker(body, facts));
    body += ']';
    return check_size(body);
}

Result<Batched> Batch::read(Reply& reply, const CallFacts&) const {
    auto results = parse_batch_reply(reply.response.body);
    if (!results) return results.take_failure();
    if (results->size() != expected())
        return fail(unreadable_answer("the batch has " + std::to_string(expected()) +
                                      " operations, and its answer " +
                                      std::to_string(results->size())));
    if (const BatchResult* const who = culprit(*results))
        return fail(
            unreadable_answer("the batch was answered as done, and an operation in it with " +
                              std::to_string(who->status)));
    if (!marker_.empty()) results->pop_back();
    Batched batched;
    batched.results = *std::move(results);
    batched.charge = reply.charge;
    return batched;
}

std::optional<FindItem> Batch::question() const {
    auto id = Document{marker_}.id();
    if (!id) return std::nullopt;
    return FindItem{container_, *std::move(id), key_};
}

Landed<Batched> Batch::landed(std::optional<Item> now, const CallFacts& facts) const {
    if (!now) return Landed<Batched>::pending({});
    const std::string whose = marker_in(now->json, usual_marker);
    if (whose != facts.id)
        return whose.empty() ? Landed<Batched>::unknown() : Landed<Batched>::no();
    Batched batched;
    batched.charge = now->charge;
    batched.found_out = true;
    return Landed<Batched>::yes(std::move(batched));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
