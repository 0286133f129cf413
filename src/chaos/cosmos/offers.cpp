// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "chaos/cosmos/turn.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

// What a container gets that names no throughput, in a database without one.
constexpr int usual_throughput = 400;

Json content_of(std::string_view throughput) {
    Json content = Json::object();
    content.set("offerThroughput", Json::number(throughput));
    content.set("offerIsRUPerMinuteThroughputEnabled", *Json::parse("false"));
    return content;
}

}  // namespace

// By x-ms-offer-throughput, or x-ms-cosmos-offer-autopilot-settings, which begins at a tenth.
std::optional<Json> Turn::wanted_throughput() const {
    const std::string_view fixed = asked_.header("x-ms-offer-throughput");
    std::uint64_t units = 0;
    const auto [end, error] = std::from_chars(fixed.data(), fixed.data() + fixed.size(), units);
    if (error == std::errc{} && end == fixed.data() + fixed.size())
        return content_of(std::to_string(units));
    const auto settings = Json::parse(asked_.header("x-ms-cosmos-offer-autopilot-settings"));
    const Json* most = settings ? settings->find("maxThroughput") : nullptr;
    if (!most || !most->is_number()) return std::nullopt;
    Json content = content_of(Json::number(most->as_double() / 10).text());
    content.set("offerAutopilotSettings", *settings);
    return content;
}

void Turn::make_offer(std::string_view resource, std::string_view rid, Json content) {
    const std::string id = "o" + std::to_string(account_.next_offer++);
    Json offer = Json::object();
    offer.set("id", Json::text(id));
    offer.set("_rid", Json::text(id));
    offer.set("_self", Json::text("offers/" + id + '/'));
    offer.set("_etag", Json::text('"' + id + '"'));
    offer.set("_ts", Json::number(std::to_string(epoch_seconds(asked_.wall))));
    offer.set("offerVersion", Json::text("V2"));
    offer.set("offerType", Json::text("Invalid"));
    offer.set("resource", Json::text(resource));
    offer.set("offerResourceId", Json::text(rid));
    offer.set("content", std::move(content));
    account_.offers.emplace(id, std::make_unique<Offer>(Offer{.definition = std::move(offer)}));
}

void Turn::make_container_offer(const Database& database, const Container& container) {
    std::optional<Json> content = wanted_throughput();
    if (!content) {
        for (const auto& [id, offer] : account_.offers)
            if (offer->definition.word("offerResourceId") == database.rid) return;
        content = content_of(std::to_string(usual_throughput));
    }
    make_offer(container.definition.word("_self"), container.rid, std::move(*content));
}

// Read, queried and replaced. Nothing is throttled by them.
Answer Turn::on_offer() {
    // Those of databases and containers that are gone.
    std::erase_if(account_.offers, [&](const auto& one) {
        const std::string link{one.second->definition.word("resource")};
        const auto named = resource_of(link);
        if (!named) return true;
        if (!named->container.empty())
            return account_.container(named->database, named->container) == nullptr;
        for (const auto& [id, database] : account_.databases)
            if (database->rid == named->database) return false;
        return true;
    });
    if (resource_.level == Resource::Level::feed) return offers_feed();
    const auto found = account_.offers.find(resource_.id);
    if (found == account_.offers.end()) return refuse(404, 0, "Resource Not Found.");
    Json& offer = found->second->definition;
    if (asked_.method == "PUT") {
        const auto body = Json::parse(asked_.body);
        const Json* content = body ? body->find("content") : nullptr;
        if (!content || !content->is_object() || body->word("_rid") != found->first)
            return refuse(400, 0, "An offer is replaced by itself with another content.");
        offer.set("content", *content);
        offer.set("_etag", Json::text(account_.new_etag(0)));
    } else if (asked_.method != "GET") {
        return refuse(405, 0, "an offer can be read or replaced");
    }
    Answer answer;
    answer.headers.add("etag", offer.word("_etag"));
    answer.body = offer.dump();
    return answer;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
