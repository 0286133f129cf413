// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/story.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "perdure/call/json_text.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_word = 200;

std::string number_text(double number) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%.10g", number);
    return digits.data();
}

void append_short_text(std::string& json, std::string_view name, std::string_view text) {
    if (text.empty()) return;
    json.append(",\"").append(name).append("\":");
    append_json_text(json, text.substr(0, longest_word));
}

void append_number(std::string& json, std::string_view name, const std::string& number) {
    json.append(",\"").append(name).append("\":").append(number);
}

void append_leg(std::string& json, const Leg& leg) {
    json += "{\"number\":" + std::to_string(leg.number);
    append_short_text(json, "reason", to_string(leg.reason));
    append_short_text(json, "region", leg.region);
    append_short_text(json, "endpoint", leg.endpoint);
    if (leg.code != StatusCode{}) append_short_text(json, "code", to_string(leg.code));
    if (leg.charge > 0) append_number(json, "request_units", number_text(leg.charge));
    append_short_text(json, "activity_id", leg.activity_id);
    if (leg.server_time > Duration::zero())
        append_number(json, "server_time_ns", std::to_string(leg.server_time.count()));
    json += '}';
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all.append(all.empty() ? "" : ",").append(word);
    return all;
}

template <class Each>
void append_list(std::string& json, std::string_view name, const auto& all, Each each) {
    json.append(",\"").append(name).append("\":[");
    for (const auto& one : all) {
        if (&one != &all.front()) json += ',';
        each(one);
    }
    json += ']';
}

}  // namespace

std::string_view to_string(Reason reason) noexcept {
    switch (reason) {
        case Reason::initial: return "initial";
        case Reason::retry: return "retry";
        case Reason::other_region: return "other_region";
        case Reason::write_region: return "write_region";
        case Reason::hedge: return "hedge";
        case Reason::question: return "question";
    }
    return "unknown";
}

void Story::begin(const Subject& subject) {
    operation_ = subject.operation;
    database_ = subject.database;
    container_ = subject.container;
    consistency_ = subject.consistency;
    used_ = 0;
    left_out_ = 0;
    charge_ = 0;
    throttled_ = contended_ = 0;
    last_retry_after_ = {};
    last_ = {};
}

Leg& Story::add(int number, Reason reason) {
    if (used_ == Diagnostics::first_kept + Diagnostics::last_kept) {
        std::rotate(legs_.begin() + Diagnostics::first_kept,
                    legs_.begin() + Diagnostics::first_kept + 1, legs_.end());
        --used_;
        ++left_out_;
    }
    if (used_ == legs_.size()) legs_.emplace_back();
    Leg& leg = legs_[used_++];
    leg.number = number;
    leg.reason = reason;
    leg.region.clear();
    leg.endpoint.clear();
    leg.code = {};
    leg.charge = 0;
    leg.activity_id.clear();
    leg.server_time = {};
    return leg;
}

Leg* Story::find(int number) noexcept {
    // From the end: a question has the number of the attempt it is about.
    for (std::size_t i = used_; i > 0; --i)
        if (legs_[i - 1].number == number) return &legs_[i - 1];
    return nullptr;
}

void Story::note_answer(int number, StatusCode code, double charge, Duration retry_after) {
    if (Leg* const leg = find(number)) {
        leg->code = code;
        leg->charge = charge;
    }
    charge_ += charge;
    last_ = code;
    if (code.status() == 449) ++contended_;
    if (code.status() != 429) return;
    ++throttled_;
    last_retry_after_ = retry_after;
}

std::vector<std::string> Story::regions() const {
    std::vector<std::string> seen;
    for (const Leg& leg : legs())
        if (!leg.region.empty() && std::ranges::find(seen, leg.region) == seen.end())
            seen.push_back(leg.region);
    return seen;
}

std::string Story::to_json() const {
    std::string json = "{\"service\":\"cosmos\"";
    append_short_text(json, "operation", operation_);
    append_short_text(json, "database", database_);
    append_short_text(json, "container", container_);
    append_short_text(json, "consistency", consistency_);
    append_number(json, "request_units", number_text(charge_));
    if (throttled_ > 0) {
        append_number(json, "throttled", std::to_string(throttled_));
        append_number(json, "last_retry_after_ns", std::to_string(last_retry_after_.count()));
    }
    if (contended_ > 0) append_number(json, "contended", std::to_string(contended_));
    append_list(json, "regions", regions(), [&](const std::string& region) {
        append_json_text(json, std::string_view{region}.substr(0, longest_word));
    });
    append_number(json, "legs_left_out", std::to_string(left_out_));
    append_list(json, "legs", legs(), [&](const Leg& leg) { append_leg(json, leg); });
    return json + ",\"call\":" + call.to_json() + "}";
}

std::vector<std::pair<std::string, std::string>> Story::attributes() const {
    std::vector<std::pair<std::string, std::string>> all;
    const auto add = [&](std::string_view name, std::string value) {
        if (!value.empty()) all.emplace_back(name, std::move(value));
    };
    add("db.system.name", "azure.cosmosdb");
    add("db.operation.name", operation_);
    add("db.namespace", database_);
    add("db.collection.name", container_);
    if (last_.status() != 0) {
        add("db.response.status_code", std::to_string(last_.status()));
        add("db.cosmosdb.sub_status_code", std::to_string(last_.substatus()));
    }
    add("db.cosmosdb.request_charge", number_text(charge_));
    add("db.cosmosdb.consistency_level", consistency_);
    add("cloud.region", joined(regions()));
    add("network.protocol.name", "http");
    const auto attempts = call.attempts();
    if (!call.succeeded() && !attempts.empty())
        add("error.type", last_.status() >= 400
                              ? to_string(last_)
                              : std::string{perdure::to_string(attempts.back().cause)});
    return all;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
