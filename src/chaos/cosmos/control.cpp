// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/control.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "chaos/cosmos/fault_reader.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

Answer said(std::string body) {
    Answer answer;
    answer.body = std::move(body);
    return answer;
}

Answer wrong(std::string_view message) {
    Answer answer;
    answer.status = 400;
    answer.body = "{\"problem\":" + quoted(message) + '}';
    return answer;
}

Answer done(const Result<void>& result) {
    return result ? said("{}") : wrong(result.error().message);
}

// Which word of the list; nothing if it is another.
template <class Enum, std::size_t n>
std::optional<Enum> one_of(std::string_view word, const std::array<std::string_view, n>& words) {
    for (std::size_t i = 0; i < n; ++i)
        if (words[i] == word) return static_cast<Enum>(i);
    return std::nullopt;
}

Answer set_region(CosmosGateway& gateway, const Json& body) {
    const std::string_view name = body.word("name");
    Result<void> result;
    if (const Json* replication = body.find("replication_ms")) {
        const bool held = replication->type() == Json::Type::null;
        const auto delay = held ? never : millis(*replication);
        if (!delay) return wrong("replication_ms: milliseconds from 0 on, or null");
        result = gateway.replicate(name, *delay);
    }
    if (const Json* listed = body.find("listed"); listed && result)
        result = gateway.list(name, listed->type() == Json::Type::yes ? Listed::yes : Listed::no);
    if (const std::string_view word = body.word("state"); !word.empty() && result) {
        const auto state =
            one_of<RegionState, 4>(word, {"up", "refusing", "black_hole", "retired"});
        if (!state) return wrong("state: up, refusing, black_hole or retired");
        result = gateway.set(name, *state);
    }
    return done(result);
}

Answer set_account(CosmosGateway& gateway, const Json& body) {
    if (const std::string_view word = body.word("writes"); !word.empty()) {
        const auto mode = one_of<WriteMode, 2>(word, {"single", "multiple"});
        if (!mode) return wrong("writes: single or multiple");
        gateway.set_writes(*mode);
    }
    if (const std::string_view word = body.word("hedging"); !word.empty()) {
        const auto hedging = one_of<HedgingSwitch, 3>(word, {"silent", "allowed", "disabled"});
        if (!hedging) return wrong("hedging: silent, allowed or disabled");
        gateway.set_hedging(*hedging);
    }
    if (const std::string_view word = body.word("partition_failover"); !word.empty()) {
        const auto failover = one_of<PartitionFailover, 3>(word, {"silent", "enabled", "disabled"});
        if (!failover) return wrong("partition_failover: silent, enabled or disabled");
        gateway.set_partition_failover(*failover);
    }
    if (const Json* value = body.find("flap_ms")) {
        const auto time = millis(*value);
        if (!time) return wrong("flap_ms: milliseconds from 0 on");
        gateway.flap(*time);
    }
    if (const Json* units = body.find("request_units")) {
        if (!count_of(*units)) return wrong("request_units: a number from 0 on");
        gateway.limit(units->as_double());
    }
    if (const Json* value = body.find("empty_pages")) {
        const auto pages = count_of(*value);
        if (!pages) return wrong("empty_pages: a number from 0 on");
        gateway.empty_pages(*pages);
    }
    return said("{}");
}

Answer fail_over(CosmosGateway& gateway, const Json& body) {
    const Json* lagging = body.find("lagging");
    const bool lags = lagging && lagging->type() == Json::Type::yes;
    const FailOver how = lags ? FailOver::lagging : FailOver::caught_up;
    if (!body.find("database") && !body.find("container") && !body.find("range"))
        return done(gateway.fail_over(body.word("to"), how));
    return done(gateway.fail_over({.database = std::string{body.word("database")},
                                   .container = std::string{body.word("container")},
                                   .range = std::string{body.word("range")},
                                   .to = std::string{body.word("to")}},
                                  how));
}

Answer split(CosmosGateway& gateway, const Json& body) {
    GatewaySplit order{.database = std::string{body.word("database")},
                       .container = std::string{body.word("container")},
                       .range = std::string{body.word("range")}};
    if (const Json* value = body.find("requests")) {
        const auto requests = count_of(*value);
        if (!requests) return wrong("requests: a number from 0 on");
        order.requests = *requests;
    }
    if (const Json* value = body.find("time_ms")) {
        const auto time = millis(*value);
        if (!time) return wrong("time_ms: milliseconds from 0 on");
        order.time = *time;
    }
    return done(gateway.split(order));
}

Answer plan(CosmosGateway& gateway, const Json& body) {
    if (!body.is_array()) return wrong("an array of rules");
    std::vector<GatewayFault> faults;
    for (const Json& one : body.elements()) {
        std::string problem;
        auto fault = read_fault(one, problem);
        if (!fault) return wrong("rule " + std::to_string(faults.size() + 1) + ": " + problem);
        faults.push_back(std::move(*fault));
    }
    gateway.plan(std::move(faults));
    return said("{}");
}

void add(Json& object, const char* name, std::string_view text) {
    object.set(name, Json::text(text));
}

Json seconds(TimePoint at, TimePoint since) {
    return Json::number(std::chrono::duration<double>(at - since).count());
}

Answer records(const std::vector<GatewayRecord>& all, TimePoint since) {
    Json list = Json::array();
    for (const GatewayRecord& record : all) {
        Json one = Json::object();
        one.set("at", seconds(record.at, since));
        add(one, "region", record.region);
        add(one, "method", record.method);
        add(one, "path", record.path);
        one.set("status", Json::number(std::to_string(record.status)));
        one.set("substatus", Json::number(std::to_string(record.substatus)));
        add(one, "session_token", record.session_token);
        add(one, "activity_id", record.activity_id);
        add(one, "partition_key", record.partition_key);
        add(one, "range", record.range);
        add(one, "fault", record.fault);
        Json headers = Json::object();
        for (const auto& [name, value] : record.headers) add(headers, name.c_str(), value);
        one.set("headers", std::move(headers));
        list.elements().push_back(std::move(one));
    }
    return said(list.dump());
}

Answer writes(const std::vector<AppliedWrite>& all, TimePoint since) {
    Json list = Json::array();
    for (const AppliedWrite& write : all) {
        Json one = Json::object();
        one.set("at", seconds(write.at, since));
        add(one, "container", write.container);
        add(one, "partition_key", write.partition_key);
        add(one, "id", write.id);
        add(one, "kind", to_string(write.kind));
        add(one, "region", write.region);
        one.set("lsn", Json::number(std::to_string(write.lsn)));
        add(one, "etag", write.etag);
        add(one, "activity_id", write.activity_id);
        add(one, "marker", write.marker);
        list.elements().push_back(std::move(one));
    }
    return said(list.dump());
}

Answer write_counts(const std::vector<WriteCount>& all) {
    Json list = Json::array();
    for (const WriteCount& counts : all) {
        Json one = Json::object();
        add(one, "container", counts.container);
        add(one, "partition_key", counts.partition_key);
        add(one, "id", counts.id);
        one.set("created", Json::number(std::to_string(counts.created)));
        one.set("replaced", Json::number(std::to_string(counts.replaced)));
        one.set("patched", Json::number(std::to_string(counts.patched)));
        one.set("deleted", Json::number(std::to_string(counts.deleted)));
        list.elements().push_back(std::move(one));
    }
    return said(list.dump());
}

}  // namespace

Answer control(CosmosGateway& gateway, const Asked& asked) {
    const std::string_view path = asked.target;
    if (asked.method == "GET" && path == "/records")
        return records(gateway.records(), gateway.started());
    if (asked.method == "GET" && path == "/writes")
        return writes(gateway.writes(), gateway.started());
    if (asked.method == "GET" && path == "/struck") {
        std::string list;
        for (const std::uint64_t count : gateway.struck())
            list += (list.empty() ? "" : ",") + std::to_string(count);
        return said('[' + list + ']');
    }
    if (asked.method == "POST" && path == "/take_records")
        return records(gateway.take_records(), gateway.started());
    const auto body = Json::parse(asked.body);
    if (asked.method != "POST" || !body)
        return wrong("POST with JSON, or GET /records, /writes, /struck");
    if (path == "/faults") return plan(gateway, *body);
    if (path == "/region") return set_region(gateway, *body);
    if (path == "/account") return set_account(gateway, *body);
    if (path == "/fail_over") return fail_over(gateway, *body);
    if (path == "/split") return split(gateway, *body);
    if (path == "/write_counts")
        return write_counts(gateway.write_counts(body->word("database"), body->word("container")));
    return wrong("there is no such path; see docs/reference/cosmos-gateway.md");
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
