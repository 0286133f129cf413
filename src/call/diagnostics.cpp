// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace perdure {
inline namespace v0 {

void Diagnostics::start(const Event& event) {
    AttemptRecord record{.number = event.number, .started = event.elapsed};
    record.hedge = event.kind == EventKind::hedge_started;
    record.waited_before = std::exchange(waited_, {});
    record.overslept = std::exchange(overslept_, {});
    record.remedies = std::exchange(remedies_, {});
    ++total_;
    if (first_.size() < first_kept) return first_.push_back(std::move(record));
    if (last_.size() == last_kept) last_.pop_front();
    last_.push_back(std::move(record));
}

AttemptRecord* Diagnostics::find(int number) noexcept {
    for (auto& record : first_)
        if (record.number == number) return &record;
    for (auto& record : last_)
        if (record.number == number) return &record;
    return nullptr;
}

void Diagnostics::note(const Event& event) {
    elapsed_ = event.elapsed;
    AttemptRecord* record = find(event.number);
    switch (event.kind) {
        case EventKind::call_started:
            *this = Diagnostics{};
            dependency_ = event.dependency;
            operation_ = event.operation;
            return;
        case EventKind::attempt_started:
        case EventKind::hedge_started: return start(event);
        case EventKind::waiting: waited_ += event.wait; return;
        case EventKind::woken: overslept_ += event.wait; return;
        case EventKind::preparing: remedies_ = event.remedies; return;
        case EventKind::asking: ++asked_; return;
        case EventKind::landed: return;
        case EventKind::finished:
            succeeded_ = event.failure == nullptr;
            stop_ = event.stop;
            effect_ = event.failure ? event.failure->effect : Effect::none;
            return;
        default: break;
    }
    if (!record) return;
    record->took = event.took;
    record->succeeded = event.kind == EventKind::attempt_succeeded;
    record->cut_off = event.kind == EventKind::attempt_cut_off;
    if (!event.failure) return;
    record->cause = event.failure->cause;
    record->effect = event.failure->effect;
    record->status = event.failure->status;
    record->code = event.failure->code;
    record->request_id = event.failure->request_id;
}

void Diagnostics::note_phases(int number, const Phases& phases) noexcept {
    if (AttemptRecord* record = find(number)) record->phases = phases;
}

std::vector<AttemptRecord> Diagnostics::attempts() const {
    std::vector<AttemptRecord> all = first_;
    all.insert(all.end(), last_.begin(), last_.end());
    return all;
}

std::size_t Diagnostics::left_out() const noexcept { return total_ - first_.size() - last_.size(); }

namespace {

void append_text(std::string& json, std::string_view text) {
    json += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        if (static_cast<unsigned char>(c) >= 0x20) {
            json += c;
        } else {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escaped.data();
        }
    }
    json += '"';
}

void append_text(std::string& json, std::string_view key, std::string_view text) {
    json += ",\"";
    json += key;
    json += "\":";
    append_text(json, text);
}

void append_number(std::string& json, std::string_view key, long long number) {
    json += ",\"";
    json += key;
    json += "\":" + std::to_string(number);
}

void append_phases(std::string& json, const Phases& phases) {
    json += ",\"phases\":{\"reached\":";
    append_text(json, to_string(phases.reached));
    append_text(json, "sent", to_string(phases.sent));
    if (phases.reused) json += ",\"reused\":true";
    for (int i = 0; i < phase_count; ++i) {
        const auto phase = static_cast<Phase>(i);
        if (phases[phase] > Duration::zero())
            append_number(json, std::string{to_string(phase)} + "_ns", phases[phase].count());
    }
    json += '}';
}

std::string to_json(const AttemptRecord& record) {
    std::string json = "{\"number\":" + std::to_string(record.number);
    if (record.hedge) json += ",\"hedge\":true";
    append_number(json, "started_ns", record.started.count());
    append_number(json, "took_ns", record.took.count());
    if (record.waited_before > Duration::zero())
        append_number(json, "waited_before_ns", record.waited_before.count());
    if (record.overslept > Duration::zero())
        append_number(json, "overslept_ns", record.overslept.count());
    if (!record.remedies.empty()) append_text(json, "remedies", to_string(record.remedies));
    if (record.phases) append_phases(json, *record.phases);
    if (record.succeeded) return json + ",\"succeeded\":true}";
    if (record.cut_off) return json + ",\"cut_off\":true}";
    append_text(json, "cause", to_string(record.cause));
    append_text(json, "effect", to_string(record.effect));
    if (record.status != 0) append_number(json, "status", record.status);
    if (!record.code.empty()) append_text(json, "code", record.code);
    if (!record.request_id.empty()) append_text(json, "request_id", record.request_id);
    return json + "}";
}

}  // namespace

std::string Diagnostics::to_json() const {
    std::string json = "{\"dependency\":";
    append_text(json, dependency_);
    append_text(json, "operation", operation_);
    append_number(json, "elapsed_ns", elapsed_.count());
    append_number(json, "cpu_ns", cpu_.count());
    json += succeeded_ ? ",\"succeeded\":true" : ",\"succeeded\":false";
    if (!succeeded_) append_text(json, "stop", to_string(stop_));
    if (!succeeded_) append_text(json, "effect", to_string(effect_));
    append_number(json, "attempts_made", static_cast<long long>(total_));
    append_number(json, "attempts_left_out", static_cast<long long>(left_out()));
    append_number(json, "times_asked", asked_);
    json += ",\"attempts\":[";
    bool comma = false;
    for (const auto& record : attempts()) {
        if (std::exchange(comma, true)) json += ',';
        json += perdure::to_json(record);
    }
    return json + "]}";
}

}  // namespace v0
}  // namespace perdure
