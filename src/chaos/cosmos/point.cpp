// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/turn.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

std::optional<Verb> verb_of(const Asked& asked, const Resource& resource) {
    if (resource.level == Resource::Level::feed)
        return asked.flagged("x-ms-documentdb-is-upsert") ? Verb::upsert : Verb::create;
    if (asked.method == "GET") return Verb::read;
    if (asked.method == "PUT") return Verb::replace;
    if (asked.method == "DELETE") return Verb::remove;
    if (asked.method == "PATCH") return Verb::patch;
    return std::nullopt;
}

}  // namespace

// Create, upsert, read, replace, delete, patch.
Answer Turn::one_item() {
    const auto verb = verb_of(asked_, resource_);
    if (!verb) return refuse(405, 0, "items know GET, POST, PUT, PATCH and DELETE");
    if (asked_.body.size() > largest_item) return refuse(413, 0, "Request size is too large");
    std::optional<Json> body;
    if (*verb != Verb::read && *verb != Verb::remove) {
        body = Json::parse(asked_.body);
        if (!body || !(body->is_object() || *verb == Verb::patch))
            return refuse(400, 0, "The request payload is invalid JSON.");
    }
    if (!destination_.key)
        return refuse(400, 0, "PartitionKey value must be supplied for this operation.");
    if (!range_ || !container_->keys.complete(*destination_.key))
        return refuse(400, 0, "The partition key has fewer values than the container's paths.");
    // Items can be named by their "_rid" too, as links in "_self" do.
    if (const auto number = item_number(container_->rid, resource_.id)) {
        const auto& feed = range_->feed(region_);
        if (const auto found = feed.find(*number); found != feed.end())
            resource_.id = found->second->id;
    }
    ItemWriter items = writer();
    const Outcome outcome = items.act({.verb = *verb,
                                       .id = resource_.id,
                                       .key = &*destination_.key,
                                       .body = body ? &*body : nullptr,
                                       .if_match = asked_.header("if-match"),
                                       .if_none_match = asked_.header("if-none-match")});
    if (outcome.status >= 400) {
        Answer answer = refuse(outcome.status, outcome.substatus, outcome.message);
        answer.charge = outcome.charge;
        return answer;
    }
    items.commit();
    Answer answer;
    answer.status = outcome.status;
    answer.charge = outcome.charge;
    if (!outcome.item) return answer;
    answer.headers.add("etag", outcome.item->etag);
    const bool minimal =
        *verb != Verb::read && asked_.header("prefer").find("return=minimal") != std::string::npos;
    if (outcome.status != 304 && !minimal) answer.body = outcome.item->text;
    return answer;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
