// SPDX-License-Identifier: Apache-2.0
//
// What is written about a call that ended? One line of JSON; docs/reference/journal.md has the fields.
//
//     out << call_line(diagnostics, {.service_name = "shop", .instance = "web-3"}) << '\n';
//
// Names follow OpenTelemetry where it has one. Never in a line: keys, tokens, bodies, messages, and the
// subject of a call other than as a keyed hash. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/call/diagnostics.hpp"

namespace perdure {
inline namespace v0 {

// Who writes the line.
struct JournalStamp {
    std::string_view service_name = "unnamed";
    std::string_view instance = "unnamed";
    std::uint64_t weight = 1;  // of a call: how many like it the line stands for
};

// The process between two ticks of the journal's own timer.
struct ProcessSpan {
    WallTime at{};  // its end
    Duration interval{};
    double cpu_utilization = 0;  // 0 to 1, of the processors the process may use
    Duration tick_late{};        // how much later than asked the timer woke, at worst
    std::uint64_t calls = 0;     // that ended, also those that were not written
    std::uint64_t failed = 0;
    std::uint64_t dropped_lines = 0;  // since the last such line
};

enum class JournalEvent : std::uint8_t { started, rotated };

// Without the end of the line.
[[nodiscard]] std::string call_line(const Diagnostics& call, const JournalStamp& stamp);
[[nodiscard]] std::string process_line(const ProcessSpan& span, const JournalStamp& stamp);
// The first line of each file.
[[nodiscard]] std::string journal_line(JournalEvent event, WallTime at, std::uint64_t dropped_lines,
                                       const JournalStamp& stamp);

std::string_view to_string(JournalEvent event) noexcept;

}  // namespace v0
}  // namespace perdure
