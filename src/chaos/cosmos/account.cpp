// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/account.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <utility>

#include "chaos/cosmos/routing.hpp"
#include "chaos/cosmos/turn.hpp"
#include "chaos/judge.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

Account::Account(const GatewayOptions& its_options, std::vector<std::uint16_t> ports)
    : options{its_options},
      limit{options.request_units},
      authority_{options.key, options.entra_token} {
    topology.writes = options.writes;
    topology.hedging = options.hedging;
    topology.partition_failover = options.partition_failover;
    topology.listed.resize(options.regions.size(), Listed::yes);
    for (std::size_t i = 0; i < options.regions.size(); ++i)
        regions.push_back({.name = options.regions[i].name,
                           .port = ports[i],
                           .lag = options.regions[i].replication});
}

std::optional<std::size_t> Account::region_named(std::string_view name) const {
    for (std::size_t i = 0; i < regions.size(); ++i)
        if (regions[i].name == name) return i;
    return std::nullopt;
}

Container* Account::container(std::string_view database, std::string_view id) const {
    const auto by_rid = [](const auto& all, std::string_view rid) {
        return std::ranges::find_if(all, [&](const auto& one) { return one.second->rid == rid; });
    };
    auto found = databases.find(database);
    if (found == databases.end()) found = by_rid(databases, database);
    if (found == databases.end()) return nullptr;
    const auto& containers = found->second->containers;
    auto its = containers.find(id);
    if (its == containers.end()) its = by_rid(containers, id);
    return its == containers.end() ? nullptr : its->second.get();
}

void Account::change(const std::function<void(Topology&)>& how) {
    before = topology;
    how(topology);
    if (before->hub != topology.hub || before->writes != topology.writes) ++token_version_;
}

void Account::fail_over(std::size_t region, FailOver how, TimePoint now) {
    for (const auto& [name, database] : databases)
        for (const auto& [id, one] : database->containers)
            for (const auto& range : one->ranges) {
                range->follow(region, how == FailOver::caught_up ? 0s : lag_of(region), now);
                if (std::exchange(range->write_region, std::nullopt)) ++range->write_moves;
            }
    ranges_moved = false;
    change([&](Topology& next) { next.hub = region; });
}

void Account::fail_over(Range& range, std::optional<std::size_t> region, FailOver how,
                        TimePoint now) {
    const std::size_t to = region.value_or(topology.hub);
    range.follow(to, how == FailOver::caught_up ? 0s : lag_of(to), now);
    if (to != hub_of(&range)) ++range.write_moves;
    range.write_region = region;
    ranges_moved = true;
}

Duration Account::lag_of(std::size_t region) const noexcept {
    return options.consistency == GatewayConsistency::strong ? Duration{} : regions[region].lag;
}

void Account::follow(Container& container, TimePoint now) const {
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        Range& range = *container.ranges[i];
        for (std::size_t region = 0; regions.size() > 1 && region < regions.size(); ++region)
            range.follow(region, lag_of(region), now);
        if (range.splitting && range.refused_left == 0 && now >= range.refused_until)
            container.finish_split(range);
    }
}

bool Account::writable(std::size_t region, std::size_t hub) const noexcept {
    return region == hub || topology.writes == WriteMode::multiple;
}

SessionMark Account::mark_of(const Range& range, std::size_t region) const {
    SessionMark mark{.version = token_version_ + range.write_moves,
                     .global = range.complete_to(region)};
    const std::size_t hub = hub_of(&range);
    for (std::size_t writer = 0; writer < regions.size(); ++writer)
        if (writable(writer, hub))
            mark.regions.emplace_back(writer + 1, range.has_from(region, writer));
    return mark;
}

std::string Account::document(TimePoint now) {
    const bool old = before && now < flapping_until && flips_++ % 2 == 0;
    return describe(old ? *before : topology);
}

std::string Account::describe(const Topology& view) const {
    std::string readable, writing;
    const auto add = [&](std::size_t i) {
        if (view.listed[i] == Listed::no) return;
        const std::string one =
            "{\"name\":" + quoted(regions[i].name) +
            ",\"databaseAccountEndpoint\":\"http://127.0.0.1:" + std::to_string(regions[i].port) +
            "/\"}";
        readable += (readable.empty() ? "" : ",") + one;
        if (i == view.hub || view.writes == WriteMode::multiple)
            writing += (writing.empty() ? "" : ",") + one;
    };
    add(view.hub);
    for (std::size_t i = 0; i < regions.size(); ++i)
        if (i != view.hub) add(i);
    constexpr std::array levels{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix",
                                "Eventual"};
    std::string text = "{\"_self\":\"\",\"id\":" + quoted(options.account) +
                       ",\"_rid\":" + quoted(options.account + ".documents.azure.com") +
                       R"(,"media":"//media/","addresses":"//addresses/","_dbs":"//dbs/",)"
                       R"("writableLocations":[)" +
                       writing + "],\"readableLocations\":[" + readable +
                       "],\"enableMultipleWriteLocations\":" +
                       (view.writes == WriteMode::multiple ? "true" : "false");
    if (view.hedging != HedgingSwitch::silent)
        text += std::string{",\"disableCrossRegionalHedging\":"} +
                (view.hedging == HedgingSwitch::disabled ? "true" : "false");
    if (view.partition_failover != PartitionFailover::silent)
        text += std::string{",\"enablePerPartitionFailoverBehavior\":"} +
                (view.partition_failover == PartitionFailover::enabled ? "true" : "false");
    text += R"(,"userReplicationPolicy":{"asyncReplication":false,"minReplicaSetSize":3,)"
            R"("maxReplicasetSize":4},"userConsistencyPolicy":{"defaultConsistencyLevel":")";
    text += levels[static_cast<std::size_t>(options.consistency)];
    text += R"("},"systemReplicationPolicy":{"minReplicaSetSize":3,"maxReplicasetSize":4},)"
            R"("readPolicy":{"primaryReadCoefficient":1,"secondaryReadCoefficient":1},)"
            R"("queryEngineConfiguration":"{\"maxSqlQueryInputLength\":262144}"})";
    return text;
}

std::string Account::new_etag(std::int64_t seconds) {
    std::array<char, 64> text{};
    const std::uint64_t number = ++etags_;
    std::snprintf(text.data(), text.size(), "\"%08x-0000-0700-0000-%012llx\"",
                  static_cast<unsigned>(number & 0xFFFFFFFFU),
                  static_cast<unsigned long long>(seconds) << 16U | (number >> 32U));
    return text.data();
}

void Account::keep(AppliedWrite write) {
    if (options.writes_kept == 0) return;
    if (writes.size() >= options.writes_kept) writes.pop_front();
    writes.push_back(std::move(write));
}

bool Account::fits(const GatewayFault& fault, const Asked& asked) const {
    const std::string_view region =
        asked.door == global ? std::string_view{"global"} : regions[asked.door].name;
    if (!fault.region.empty() && fault.region != region) return false;
    if (!fault.method.empty() && fault.method != asked.method) return false;
    if (!fault.path.empty() && !path_fits(fault.path, asked.target)) return false;
    if (fault.resource.empty() && fault.range.empty() && fault.kind == RequestKind::any)
        return true;
    const auto resource = resource_of(asked.target);
    if (!resource || (!fault.resource.empty() && fault.resource != resource->called()))
        return false;
    if (fault.kind != RequestKind::any &&
        (fault.kind == RequestKind::write) != is_write(asked, *resource))
        return false;
    return fault.range.empty() || reaches(asked, *resource, fault.range);
}

// The costly question, since the key is hashed for it: only rules about a range ask it.
bool Account::reaches(const Asked& asked, const Resource& resource, std::string_view range) const {
    if (resource.type != "docs") return false;
    const Container* its = container(resource.database, resource.container);
    const Range* one = its ? its->range_named(range) : nullptr;
    if (!one || !Destination::of(*its, asked).includes(*one)) return false;
    std::string ignored;
    const auto part = KeyBounds::of(asked, ignored);
    return !part || one->overlaps(part->from, part->to);
}

std::optional<GatewayFault> Account::strike(const Asked& asked) {
    for (std::size_t i = 0; i < faults.size(); ++i) {
        if (!fits(faults[i], asked)) continue;
        const std::uint64_t count = ++fitting[i];
        const GatewayFault& fault = faults[i];
        if (count < fault.from || count > fault.to) continue;
        if (fault.every > 1 && (count - fault.from) % fault.every != 0) continue;
        ++struck[i];
        return fault;
    }
    return std::nullopt;
}

void Account::begin(const Asked& asked) {
    range_id_.clear();
    activity_id_ = asked.header("x-ms-activity-id");
    if (!activity_id_.empty()) return;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx",
                  static_cast<unsigned long long>(++activities_));
    activity_id_ = text.data();
}

Answer Account::serve(const Asked& asked) { return Turn{*this, asked}.serve(); }

void Account::finish(Answer& answer) const {
    std::array<char, 32> charge{};
    std::snprintf(charge.data(), charge.size(), "%.2f", answer.charge);
    answer.headers.add("x-ms-activity-id", activity_id_);
    answer.headers.add("x-ms-request-charge", charge.data());
    answer.headers.add("x-ms-serviceversion", "version=2.14.0.0");
    answer.headers.add("x-ms-gatewayversion", "version=2.14.0");
    answer.headers.add("x-ms-request-duration-ms", "0.2");
}

Answer Account::instead(const GatewayFault& fault) const {
    Answer answer = refusal(fault.status, fault.substatus, "a rule says so", activity_id_);
    if (fault.body == ErrorBody::html) {
        answer.type = "text/html";
        answer.body = html_body(fault.status);
    }
    if (fault.body == ErrorBody::empty) answer.body.clear();
    if (!fault.text.empty()) answer.body = fault.text;
    if (fault.retry_after)
        answer.headers.add("x-ms-retry-after-ms", std::to_string(*fault.retry_after / 1ms));
    for (const auto& [name, value] : fault.headers) answer.headers.add(name, value);
    finish(answer);
    return answer;
}

std::string Account::range_of(const Asked& asked) const {
    const auto resource = resource_of(asked.target);
    if (!resource || resource->type != "docs") return "";
    const Container* its = container(resource->database, resource->container);
    const Range* range = its ? Destination::of(*its, asked).range : nullptr;
    return range ? range->id : "";
}

void Account::note(const Asked& asked, const GatewayFault* fault, const Answer* answer) {
    if (options.records == 0) return;
    if (records.size() >= options.records) records.pop_front();
    GatewayRecord& one = records.emplace_back();
    one.at = asked.now;
    one.region = asked.door == global ? "global" : regions[asked.door].name;
    one.method = asked.method;
    one.path = asked.target;
    if (answer) one.status = answer->status, one.substatus = answer->substatus;
    one.session_token = asked.header("x-ms-session-token");
    one.activity_id = activity_id_;
    one.partition_key = asked.header("x-ms-documentdb-partitionkey");
    one.range = range_id_;
    if (fault) {
        one.fault = fault->name;
        if (one.range.empty()) one.range = range_of(asked);
    }
    for (const std::string& name : options.record_headers)
        if (const auto value = asked.headers.find(name)) one.headers.emplace_back(name, *value);
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
