// SPDX-License-Identifier: Apache-2.0
//
// Which latencies do these files hold?
//
//     const auto read = read_latencies({.files = {"calls.csv"}, .unit = 1ms});
//     if (!read) say(read.error().message);              // names the flag that helps
//     read->samples.size();  read->bad_lines;
//
// Tens of millions of lines are fine: a line is looked at once, where it lies in the buffer, and a
// sample takes 24 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/policy/tuning.hpp"
#include "tune/latency_fields.hpp"

namespace tool {

// "status=timeout", or "timed_out" for a column that says yes or no.
struct Condition {
    std::string field{};
    std::string value{};  // empty: a yes
};
Condition condition_from(const std::string& text);

enum class BadLines : unsigned char { refused_above_one_percent, tolerated };

struct LatencyInput {
    std::vector<std::string> files{};   // "-": standard input
    std::string latency{};              // the field's name or number; empty: looked for
    std::string time{};                 // empty: none
    Condition timed_out{};              // field empty: none
    Condition only{};                   // leaves out what neither fulfils it nor timed out
    std::optional<Duration> unit{};     // of bare numbers
    std::optional<Duration> timeout{};  // the present one: what took as long was cut off
    BadLines bad_lines = BadLines::refused_above_one_percent;
};

struct TimedSample {
    WallTime at{};
    LatencySample sample{};
};

struct LatencyRead {
    std::vector<TimedSample> samples{};  // in order of time if there is one, else of the files
    std::uint64_t lines = 0;             // without blank ones, comments and names
    std::uint64_t bad_lines = 0;
    std::vector<std::string> bad_examples{};  // "calls.csv:17: the latency is negative"
    std::uint64_t left_out = 0;
    std::string format{};     // of each kind of file: "CSV and JSON lines"
    std::string field{};      // as each calls it; empty: the files have no names
    std::size_t fields = 0;   // how many names these are
    std::string time_seen{};  // a time that was not asked for
};

Result<LatencyRead> read_latencies(const LatencyInput& input);

}  // namespace tool
