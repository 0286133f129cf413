// SPDX-License-Identifier: Apache-2.0
//
// Reading what came back. Documents are passed on as they are; what is looked at is whether it is the
// service that speaks: somebody on the way may say 200 too, to a page for logging in.
#include <utility>

#include "item_body.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool looks_like_object(std::string_view body) noexcept {
    constexpr std::string_view space = " \t\r\n";
    const auto first = body.find_first_not_of(space);
    return first != std::string_view::npos && body[first] == '{' &&
           body[body.find_last_not_of(space)] == '}';
}

std::string etag_of(const Reply& reply) {
    if (const auto etag = reply.field("etag"); !etag.empty()) return std::string{etag};
    return Document{reply.response.body}.etag().value_or("");
}

}  // namespace

Failure unreadable_answer(std::string message) {
    return {.cause = Cause::corrupt, .code = "unreadable-answer", .message = std::move(message)};
}

Result<Written> read_written(Reply& reply, Wanted wanted) {
    Written written;
    written.etag = etag_of(reply);
    written.charge = reply.charge;
    written.created = reply.response.status == 201;
    if (written.etag.empty()) return fail(unreadable_answer("a written item has no etag"));
    if (wanted == Wanted::etag) return written;
    if (!looks_like_object(reply.response.body))
        return fail(unreadable_answer("the written item did not come back"));
    written.json = std::move(reply.response.body);
    return written;
}

Result<Deleted> read_deleted(Reply& reply) {
    Deleted deleted;
    deleted.charge = reply.charge;
    deleted.was_there = reply.response.status != 404;
    if (deleted.was_there && reply.response.status != 204 && !reply.response.body.empty())
        return fail(unreadable_answer("a deletion was answered with a text"));
    return deleted;
}

Result<Page> read_page(Reply& reply, std::string_view list) {
    auto texts = documents_of(reply.response.body, list);
    if (!texts) return texts.take_failure();
    Page page;
    page.documents.reserve(texts->size());
    for (const std::string_view text : *texts) page.documents.emplace_back(text);
    page.next = reply.field("x-ms-continuation");
    page.charge = reply.charge;
    return page;
}

Landed<Written> landed_with(Item item, Wanted wanted) {
    Written written;
    written.charge = item.charge;
    written.found_out = true;
    if (wanted == Wanted::item) {
        written.json = std::move(item.json);
        written.etag = std::move(item.etag);
    }
    return Landed<Written>::yes(std::move(written));
}

Result<Item> ReadItem::read(Reply& reply, const CallFacts&) const {
    Item item;
    item.etag = etag_of(reply);
    item.charge = reply.charge;
    if (reply.response.status == 304) return item;
    if (!looks_like_object(reply.response.body))
        return fail(unreadable_answer("an item that was read is no object"));
    item.json = std::move(reply.response.body);
    return item;
}

Result<std::optional<Item>> FindItem::read(Reply& reply, const CallFacts& facts) const {
    std::optional<Item> found;
    if (reply.response.status == 404) return found;
    auto item = read_.read(reply, facts);
    if (!item) return item.take_failure();
    found = *std::move(item);
    return found;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
