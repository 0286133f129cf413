// SPDX-License-Identifier: Apache-2.0
//
// How do other people's files write a latency and a time?
//
//     read_latency("12.5ms", {})           // 12.5 ms; also "0.0125 s", "12500us"
//     read_latency("12.5", 1ms)            // the same: a bare number has the column's unit
//     read_time("2026-11-16T10:23:57Z")    // also epochs in s, ms, us and ns
#pragma once

#include <optional>
#include <string_view>

#include "perdure/duration.hpp"

namespace tool {

using namespace perdure;

// The value, or why there is none. No Result: millions of lines are read, and a reason is a literal.
template <class Value>
struct Read {
    Value value{};
    const char* wrong = nullptr;
};

std::string_view trimmed(std::string_view text);

// "ms", "us", "s", "ns" and their longer names.
std::optional<Duration> unit_named(std::string_view name);

// The unit at the end of a column's name: "latency_ms", "elapsed (s)", "durationMs", or just "ms".
std::optional<Duration> unit_in_name(std::string_view name);

Read<Duration> read_latency(std::string_view text, std::optional<Duration> unit);

// UTC where no zone is named.
Read<WallTime> read_time(std::string_view text);

// "true", "1", "yes", "t", "y", in any case.
bool says_yes(std::string_view text);

}  // namespace tool
