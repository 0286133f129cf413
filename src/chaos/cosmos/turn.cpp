// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/turn.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::array levels{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix",
                            "Eventual"};

std::size_t level_of(std::string_view name) noexcept {
    const auto found = std::ranges::find(levels, name);
    return static_cast<std::size_t>(found - levels.begin());
}

// Why the consistency that a request asks for is refused; empty: it is not.
std::string_view wrong_consistency(const Asked& asked, GatewayConsistency accounts) {
    const std::string_view level = asked.header("x-ms-consistency-level");
    if (level_of(level) < static_cast<std::size_t>(accounts))
        return "a request can only weaken the account's consistency level";
    const std::string_view strategy = asked.header("x-ms-cosmos-read-consistency-strategy");
    if (strategy.empty()) return {};
    if (!level.empty())
        return "x-ms-consistency-level and x-ms-cosmos-read-consistency-strategy exclude each "
               "other";
    constexpr std::array known{"Eventual", "Session", "LatestCommitted", "GlobalStrong"};
    if (std::ranges::find(known, strategy) == known.end())
        return "x-ms-cosmos-read-consistency-strategy has no such value";
    if (strategy == "GlobalStrong" && accounts != GatewayConsistency::strong)
        return "GlobalStrong in x-ms-cosmos-read-consistency-strategy needs a strong account";
    return {};
}

}  // namespace

bool is_write(const Asked& asked, const Resource& resource) {
    if (asked.method == "GET" || asked.method == "HEAD") return false;
    if (asked.method != "POST" || resource.level != Resource::Level::feed) return true;
    return !asked.flagged("x-ms-documentdb-isquery") && !asked.flagged("x-ms-documentdb-query") &&
           !asked.flagged("x-ms-cosmos-is-query-plan-request") &&
           !asked.header("content-type").starts_with("application/query+json");
}

Answer Turn::refuse(int status, int substatus, std::string_view message) const {
    return refusal(status, substatus, message, account_.activity_id_);
}

Answer Turn::serve() {
    region_ = asked_.door == global ? account_.topology.hub : asked_.door;
    Answer answer;
    const auto resource = resource_of(asked_.target);
    if (!resource) {
        answer = refuse(400, 0, "the path names nothing");
    } else {
        resource_ = *resource;
        Refused refused = forbidden();
        answer = refused ? std::move(*refused) : route();
    }
    add_place(answer);
    account_.finish(answer);
    return answer;
}

Turn::Refused Turn::forbidden() const {
    if (asked_.door != global && account_.regions[region_].state == RegionState::retired)
        return refuse(403, 1008, "The account is not found in this region.");
    if (account_.options.signatures == Signatures::checked)
        switch (account_.authority_.judge(asked_.method, resource_, asked_.headers, asked_.wall)) {
            case Refusal::missing:
                return refuse(401, 0, "Required Header authorization or x-ms-date is missing.");
            case Refusal::wrong:
                return refuse(401, 0,
                              "The input authorization token can't serve the request. The wrong "
                              "key is being used or the expected payload is not built as per the "
                              "protocol.");
            case Refusal::stale:
                return refuse(403, 0,
                              "The authorization token is not valid at the current time. Please "
                              "ensure your clock is right.");
            case Refusal::none: break;
        }
    // Where ranges have write regions of their own, the range has to be known first.
    if (account_.ranges_moved && resource_.type == "docs") return std::nullopt;
    return wrong_region(account_.topology.hub);
}

Turn::Refused Turn::wrong_region(std::size_t hub) const {
    const bool here = region_ == hub;
    const bool item = resource_.type == "docs";
    const bool may_write = here || (item && account_.writable(region_, hub) &&
                                    asked_.flagged("x-ms-cosmos-allow-tentative-writes"));
    if (is_write(asked_, resource_) && !may_write)
        return refuse(403, 3, "The requested operation cannot be performed at this region.");
    if (!here && asked_.flagged("x-ms-cosmos-hub-region-processing-only"))
        return refuse(403, 3, "This region is not the hub of the partition.");
    return std::nullopt;
}

Answer Turn::route() {
    if (resource_.level == Resource::Level::account) {
        Answer answer;
        answer.body = account_.document(asked_.now);
        answer.charge = 0;
        return answer;
    }
    if (resource_.type == "dbs") return on_database();
    if (resource_.type == "colls") return on_container();
    if (resource_.type == "docs" || resource_.type == "pkranges") return in_container();
    if (resource_.type == "offers") return on_offer();
    if (resource_.type == "partitionkey")
        return refuse(400, 0, "Deletes of a whole partition key are not served by this gateway.");
    return refuse(400, 0,
                  "Resources of this kind are not served by this gateway: " + resource_.type);
}

Answer Turn::in_container() {
    container_ = account_.container(resource_.database, resource_.container);
    if (!container_) return refuse(404, 1003, "Owner resource does not exist");
    // The client's names are of a container that was deleted since.
    if (const std::string_view meant = asked_.header("x-ms-cosmos-intended-collection-rid");
        !meant.empty() && meant != container_->rid)
        return refuse(400, 1024, "The container is not the one that the request was made for.");
    account_.follow(*container_, asked_.now);
    if (resource_.type == "pkranges") return pkranges();
    if (const auto why = wrong_consistency(asked_, account_.options.consistency); !why.empty())
        return refuse(400, 0, why);
    if (Refused refused = find_range()) return std::move(*refused);
    if (account_.ranges_moved)
        if (Refused refused = wrong_region(account_.hub_of(range_))) return std::move(*refused);
    for (const auto step : {&Turn::too_early, &Turn::too_much})
        if (Refused refused = (this->*step)()) return std::move(*refused);
    Answer answer = documents();
    container_->spent[region_].units += answer.charge;
    return answer;
}

// Which partition is meant, and is it there?
Turn::Refused Turn::find_range() {
    destination_ = Destination::of(*container_, asked_);
    if (destination_.problem == Destination::Problem::key)
        return refuse(400, 0,
                      "Partition key provided either doesn't correspond to definition in the "
                      "collection or doesn't match partition key field values specified in "
                      "the document.");
    if (destination_.problem == Destination::Problem::range)
        return refuse(410, 1002, "The partition key range is gone.");
    range_ = destination_.range;
    // Without a single one, the request meets those that split too.
    for (const auto& range : container_->ranges) {
        if (!range->splitting || !destination_.includes(*range)) continue;
        if (range->refused_left > 0) --range->refused_left;
        return refuse(410, 1007, "The partition is being split.");
    }
    return std::nullopt;
}

// Has this region what the client's session has seen?
Turn::Refused Turn::too_early() {
    const std::string_view header = asked_.header("x-ms-session-token");
    std::string_view level = asked_.header("x-ms-cosmos-read-consistency-strategy");
    if (level.empty()) level = asked_.header("x-ms-consistency-level");
    const bool session = level.empty() ? account_.options.consistency == GatewayConsistency::session
                                       : level == "Session";
    if (header.empty() || !session) return std::nullopt;
    for (const SessionPart& part : parts_of(header)) {
        const auto asked = SessionMark::read(part.token);
        if (!asked) return refuse(400, 0, "The session token is not valid.");
        for (const auto& range : container_->ranges) {
            if (range_ && range.get() != range_) continue;
            const bool its = part.range.empty() || part.range == range->id ||
                             std::ranges::find(range->parents, part.range) != range->parents.end();
            if (its && !account_.mark_of(*range, region_).covers(*asked))
                return refuse(404, 1002,
                              "The read session is not available for the input session token.");
        }
    }
    return std::nullopt;
}

// One second's units, from its first request on.
Turn::Refused Turn::too_much() {
    Container::Spent& spent = container_->spent[region_];
    if (asked_.now - spent.since >= 1s) spent = {.since = asked_.now};
    if (account_.limit <= 0 || spent.units < account_.limit) return std::nullopt;
    Answer answer = refuse(429, 3200, "Request rate is large. More Request Units may be needed.");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(spent.since + 1s - asked_.now);
    answer.headers.add("x-ms-retry-after-ms", std::to_string(left.count()));
    answer.charge = 0.38;
    return answer;
}

Answer Turn::documents() {
    if (resource_.level == Resource::Level::entity) return one_item();
    if (asked_.flagged("x-ms-cosmos-is-query-plan-request")) return query_plan();
    if (asked_.flagged("x-ms-cosmos-is-batch-request")) return batch();
    if (is_write(asked_, resource_)) return one_item();
    if (asked_.method == "GET" && !asked_.header("a-im").empty()) return changes();
    return feed();
}

ItemWriter Turn::writer() const { return {account_, *container_, *range_, region_, asked_}; }

// Where it was done, and how far this place has come.
void Turn::add_place(Answer& answer) const {
    if (!container_ || resource_.type != "docs") return;
    answer.headers.add("x-ms-content-path", container_->rid);
    answer.headers.add("x-ms-alt-content-path", container_->link);
    std::string token;
    for (const auto& range : container_->ranges) {
        if (range_ && range.get() != range_) continue;
        token += (token.empty() ? "" : ",") + range->id + ':' +
                 account_.mark_of(*range, region_).write(account_.options.session);
    }
    if (!token.empty()) answer.headers.add("x-ms-session-token", token);
    // A split may have taken the place of the range meanwhile; it is not looked at after serving.
    if (!range_) return;
    account_.range_id_ = range_->id;
    answer.headers.add("x-ms-documentdb-partitionkeyrangeid", range_->id);
    const std::string lsn = std::to_string(range_->complete_to(region_));
    answer.headers.add("lsn", lsn);
    answer.headers.add("x-ms-global-Committed-lsn", lsn);
    answer.headers.add("x-ms-number-of-read-regions", std::to_string(account_.regions.size() - 1));
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
