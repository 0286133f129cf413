// SPDX-License-Identifier: Apache-2.0
#include "promises/support/cosmos_account.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "live/support/process.hpp"
#include "live/support/sql_server.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::promises {
namespace {

using chaos::GatewayFault;
using chaos::GatewayRecord;

constexpr const char* read_items = "k";

std::unique_ptr<chaos::CosmosGateway> start_gateway(const AccountShape& shape) {
    chaos::GatewayOptions options;
    // The plain loops send no signature.
    options.signatures = chaos::Signatures::ignored;
    options.regions = {{.name = east}, {.name = west}};
    options.writes = shape.writes;
    options.partitions = shape.partitions;
    options.partition_failover = shape.partition_failover;
    options.record_headers = {"user-agent"};
    auto started = chaos::CosmosGateway::start(options);
    if (!started) live::give_up(to_string(started.error()));
    return *std::move(started);
}

// Behind the name of the way or the letter for items that are read.
std::optional<std::int64_t> call_in(std::string_view id, std::string_view begins_with) {
    if (!id.starts_with(begins_with)) return std::nullopt;
    id.remove_prefix(begins_with.size());
    std::int64_t call = 0;
    const auto read = std::from_chars(id.data(), id.data() + id.size(), call);
    if (read.ec != std::errc{} || read.ptr != id.data() + id.size()) return std::nullopt;
    return call;
}

std::string written_by(const std::string& way) { return way + "-"; }

// The header is a list of one text: ["k17"].
std::optional<std::int64_t> call_of(const GatewayRecord& record, const std::string& way) {
    constexpr std::size_t brackets = 2;
    const std::string_view key = record.partition_key;
    if (key.size() <= 2 * brackets) return std::nullopt;
    const std::string_view id = key.substr(brackets, key.size() - 2 * brackets);
    const auto call = call_in(id, read_items);
    return call ? call : call_in(id, written_by(way));
}

// The JavaScript SDK puts its way's name behind its own.
bool sent_by(const GatewayRecord& record, const std::string& way) {
    return std::ranges::any_of(record.headers, [&](const auto& header) {
        return header.second == way || header.second.ends_with(" " + way);
    });
}

bool is_at(const GatewayRecord& record, const SickPlace& sick) {
    const bool in_region = record.region == sick.region ||
                           (record.region == "global" && sick.region == std::string_view{east});
    return in_region && (sick.range.empty() || record.range == sick.range);
}

bool read_an_item(const GatewayRecord& record) {
    return record.method == "GET" && record.status == 200;
}

}  // namespace

std::string item_of(Does does, const std::string& way, std::int64_t call) {
    return (does == Does::read ? read_items : written_by(way)) + std::to_string(call);
}

CosmosAccount::CosmosAccount(const AccountShape& shape)
    : call_takes_{shape.call_takes}, gateway_{start_gateway(shape)} {
    fill(shape.items);
    plan({});
}

void CosmosAccount::fill(int items) {
    // Its name keeps its requests out of the counts.
    cosmos::Client admin{{.endpoint = gateway_->endpoint(),
                          .key = std::string{chaos::emulator_key},
                          .user_agent = "admin"}};
    admin.send(cosmos::CreateDatabase{drill_items.database}).value();
    admin.send(cosmos::CreateContainer{drill_items, {"/pk"}}).value();
    const auto create = [&](const std::string& id) {
        const std::string json = R"({"id":")" + id + R"(","pk":")" + id + R"("})";
        admin.send(cosmos::CreateItem{drill_items, json, cosmos::PartitionKey{id}}).value();
    };
    create(other_item);
    for (int i = 0; i < items; ++i) create(item_of(Does::read, {}, i));
}

void CosmosAccount::plan(std::vector<GatewayFault> faults) {
    for (GatewayFault& fault : faults) fault.resource = "docs";
    faults.push_back({.resource = "docs", .delay = call_takes_});
    gateway_->plan(std::move(faults));
}

void CosmosAccount::plan_in_the_east(GatewayFault fault) {
    GatewayFault global = fault;
    fault.region = east;
    global.region = "global";
    plan({std::move(fault), std::move(global)});
}

RegionCounts CosmosAccount::counts_of(const std::string& way, const SickPlace& sick,
                                      TimePoint first_second_over) const {
    RegionCounts counts;
    for (const GatewayRecord& record : gateway_->records()) {
        const auto call = call_of(record, way);
        if (!call || !sent_by(record, way)) continue;
        ++counts.requests;
        if (sick.range.empty() || record.range == sick.range) counts.about.insert(*call);
        if (read_an_item(record)) counts.effects[*call] = 1;
        if (!is_at(record, sick)) continue;
        ++counts.at_sick;
        counts.met.insert(*call);
        if (record.at >= first_second_over) ++counts.late_at_sick;
    }
    for (const chaos::AppliedWrite& write : gateway_->writes())
        if (const auto call = call_in(write.id, written_by(way))) ++counts.effects[*call];
    return counts;
}

}  // namespace perdure::promises
