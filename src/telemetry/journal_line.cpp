// SPDX-License-Identifier: Apache-2.0
#include "perdure/telemetry/journal_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "perdure/call/json_text.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Raised when a reader of today would misunderstand a line.
constexpr int format_version = 1;

std::string head(std::string_view kind, WallTime at, const JournalStamp& stamp) {
    std::string line = "{\"kind\":\"";
    line += kind;
    line += "\",\"time_unix_nano\":" + std::to_string(at.time_since_epoch().count());
    line += ",\"service.name\":";
    append_json_text(line, stamp.service_name);
    line += ",\"service.instance.id\":";
    append_json_text(line, stamp.instance);
    return line;
}

template <class Number>
void append(std::string& line, std::string_view key, Number number) {
    line += ",\"";
    line += key;
    line += "\":" + std::to_string(number);
}

}  // namespace

std::string call_line(const Diagnostics& call, const JournalStamp& stamp) {
    std::string line = head("call", call.began(), stamp);
    if (stamp.weight != 1) append(line, "weight", stamp.weight);
    line += ",\"peer.service\":";
    append_json_text(line, call.dependency());
    call.append_fields(line);
    line += '}';
    return line;
}

std::string process_line(const ProcessSpan& span, const JournalStamp& stamp) {
    std::string line = head("process", span.at, stamp);
    std::array<char, 32> share{};
    const double sound = std::isfinite(span.cpu_utilization) ? span.cpu_utilization : 0;
    std::snprintf(share.data(), share.size(), "%.4f", std::clamp(sound, 0.0, 1.0));
    line += ",\"process.cpu.utilization\":";
    line += share.data();
    append(line, "tick_late_ns", span.tick_late.count());
    append(line, "interval_ns", span.interval.count());
    append(line, "calls", span.calls);
    append(line, "failed", span.failed);
    append(line, "dropped_lines", span.dropped_lines);
    line += '}';
    return line;
}

std::string journal_line(JournalEvent event, WallTime at, std::uint64_t dropped_lines,
                         const JournalStamp& stamp) {
    std::string line = head("journal", at, stamp);
    line += ",\"event\":\"";
    line += to_string(event);
    line += '"';
    append(line, "dropped_lines", dropped_lines);
    append(line, "version", format_version);
    line += '}';
    return line;
}

std::string_view to_string(JournalEvent event) noexcept {
    return event == JournalEvent::started ? "started" : "rotated";
}

}  // namespace v0
}  // namespace perdure
