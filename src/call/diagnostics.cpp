// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "perdure/call/json_text.hpp"
#include "perdure/time/pseudonym.hpp"

namespace perdure {
inline namespace v0 {

void Diagnostics::clear(const Event& event) {
    dependency_ = event.dependency;
    operation_ = event.operation;
    first_.clear();
    last_.clear();
    total_ = 0;
    waited_ = overslept_ = elapsed_ = cpu_ = attempt_timeout_ = {};
    remedies_ = {};
    stop_ = Stop::none;
    effect_ = {};
    succeeded_ = false;
    asked_ = 0;
    deadline_ = event.allowed;
}

void Diagnostics::start(const Event& event) {
    if (last_.size() == last_kept) last_.erase(last_.begin());
    AttemptRecord& record =
        first_.size() < first_kept ? first_.emplace_back() : last_.emplace_back();
    record.number = event.number;
    record.started = event.elapsed;
    record.hedge = event.kind == EventKind::hedge_started;
    record.waited_before = std::exchange(waited_, {});
    record.overslept = std::exchange(overslept_, {});
    record.remedies = std::exchange(remedies_, {});
    record.place = event.place;
    attempt_timeout_ = event.allowed;
    ++total_;
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
    budget_milli_ = event.budget_milli_left;
    switch (event.kind) {
        case EventKind::call_started: return clear(event);
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
    AttemptRecord* const record = find(event.number);
    if (!record) return;
    if (event.kind == EventKind::attempt_overran) {
        record->overran = event.wait;
        return;
    }
    record->took = event.took;
    record->succeeded = event.kind == EventKind::attempt_succeeded;
    record->cut_off = event.kind == EventKind::attempt_cut_off;
    if (!event.failure) return;
    record->cause = event.failure->cause;
    record->effect = event.failure->effect;
    record->status = event.failure->status;
    record->code = event.failure->code;
    record->request_id = event.failure->request_id;
    record->retry_after = event.failure->retry_after;
}

void Diagnostics::describe(const Description& description) noexcept {
    subject_ = description.subject.empty()
                   ? 0
                   : std::max<std::uint64_t>(pseudonym(description.subject), 1);
    bytes_ = description.bytes;
    charge_ = description.charge;
}

void Diagnostics::note_phases(int number, const Phases& phases) noexcept {
    if (AttemptRecord* record = find(number)) record->phases = phases;
}

void Diagnostics::note_place(int number, std::string place) {
    if (AttemptRecord* record = find(number)) record->place = std::move(place);
}

std::vector<AttemptRecord> Diagnostics::attempts() const {
    std::vector<AttemptRecord> all = first_;
    all.insert(all.end(), last_.begin(), last_.end());
    return all;
}

std::size_t Diagnostics::left_out() const noexcept { return total_ - first_.size() - last_.size(); }

namespace {

// What a service sends may be of any length; a line may not.
constexpr std::size_t longest_word = 200;

void append_text(std::string& json, std::string_view key, std::string_view text) {
    json += ",\"";
    json += key;
    json += "\":";
    append_json_text(json, text.substr(0, longest_word));
}

void append_number(std::string& json, std::string_view key, long long number) {
    json += ",\"";
    json += key;
    json += "\":" + std::to_string(number);
}

void append_fraction(std::string& json, std::string_view key, double number) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%.10g", number);
    json += ",\"";
    json += key;
    json += "\":";
    json += digits.data();
}

void append_phases(std::string& json, const Phases& phases) {
    json += ",\"phases\":{\"reached\":";
    append_json_text(json, to_string(phases.reached));
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
    if (record.overran > Duration::zero())
        append_number(json, "overran_ns", record.overran.count());
    if (!record.remedies.empty()) append_text(json, "remedies", to_string(record.remedies));
    if (!record.place.empty()) append_text(json, "server.address", record.place);
    if (record.phases) append_phases(json, *record.phases);
    if (record.succeeded) return json + ",\"succeeded\":true}";
    if (record.cut_off) return json + ",\"cut_off\":true}";
    append_text(json, "cause", to_string(record.cause));
    append_text(json, "effect", to_string(record.effect));
    if (record.status != 0) append_number(json, "status", record.status);
    if (!record.code.empty()) append_text(json, "code", record.code);
    if (!record.request_id.empty()) append_text(json, "request_id", record.request_id);
    if (record.retry_after && *record.retry_after != never)
        append_number(json, "retry_after_ns", record.retry_after->count());
    return json + "}";
}

}  // namespace

std::string Diagnostics::to_json() const {
    std::string json = "{\"dependency\":";
    append_json_text(json, dependency_);
    append_fields(json);
    return json + "}";
}

void Diagnostics::append_fields(std::string& json) const {
    append_text(json, "operation", operation_);
    append_number(json, "elapsed_ns", elapsed_.count());
    append_number(json, "cpu_ns", cpu_.count());
    json += succeeded_ ? ",\"succeeded\":true" : ",\"succeeded\":false";
    if (!succeeded_) append_text(json, "stop", to_string(stop_));
    if (!succeeded_) append_text(json, "effect", to_string(effect_));
    append_number(json, "attempts_made", static_cast<long long>(total_));
    append_number(json, "attempts_left_out", static_cast<long long>(left_out()));
    append_number(json, "times_asked", asked_);
    append_description(json);
    append_fraction(json, "budget_left", budget_milli_ / 1000.0);
    if (deadline_ != never) append_number(json, "deadline_ns", deadline_.count());
    if (attempt_timeout_ > Duration::zero() && attempt_timeout_ != never)
        append_number(json, "attempt_timeout_ns", attempt_timeout_.count());
    json += ",\"attempts\":[";
    bool comma = false;
    for (const auto* kept : {&first_, &last_})
        for (const AttemptRecord& record : *kept) {
            if (std::exchange(comma, true)) json += ',';
            json += perdure::to_json(record);
        }
    json += ']';
}

void Diagnostics::append_description(std::string& json) const {
    if (subject_ != 0) {
        std::array<char, 20> digits{};
        std::snprintf(digits.data(), digits.size(), "%016llx",
                      static_cast<unsigned long long>(subject_));
        append_text(json, "subject", digits.data());
    }
    if (bytes_ > 0) append_number(json, "request_bytes", bytes_);
    if (charge_ > 0) append_fraction(json, "request_units", charge_);
}

}  // namespace v0
}  // namespace perdure
