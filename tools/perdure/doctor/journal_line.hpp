// SPDX-License-Identifier: Apache-2.0
//
// What does one line of a journal say? A finished call, a second of a process, or a remark of the
// journal itself. docs/reference/doctor.md lists the members that are read.
//
//     LineReader reader;
//     if (reader.read(line, room) == LineKind::call) tally.add(reader.call());
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/call/phases.hpp"
#include "perdure/cause.hpp"
#include "perdure/stop.hpp"

namespace tool::doctor {

using namespace perdure;

// Durations are counts of nanoseconds, as in the line. Texts live until the next line is read.
struct AttemptLine {
    bool hedge = false;
    bool succeeded = false;
    bool cut_off = false;
    std::optional<Cause> cause{};
    int status = 0;
    std::string_view code{}, request_id{}, address{};
    std::int64_t took = 0, waited = 0, overslept = 0, overran = 0;
    bool remedied = false;
    bool phased = false;  // the transport said where the time went
    Phase reached = Phase::pool;
    std::array<std::int64_t, phase_count> phases{};

    [[nodiscard]] std::int64_t in(Phase phase) const {
        return phases[static_cast<std::size_t>(phase)];
    }
    // Waiting for a connection, which the attempt timeout does not limit.
    [[nodiscard]] std::int64_t set_up() const {
        return in(Phase::pool) + in(Phase::dns) + in(Phase::connect) + in(Phase::tls);
    }
};

struct CallLine {
    std::int64_t began = 0;  // since 1970
    std::string_view instance{}, dependency{}, operation{}, subject{};
    std::uint64_t weight = 1;
    std::int64_t elapsed = 0, cpu = 0;
    bool succeeded = false;
    Stop stop = Stop::none;
    std::uint64_t attempts_made = 0, attempts_left_out = 0, times_asked = 0;
    std::optional<std::uint64_t> bytes{}, units{};
    std::optional<double> budget_left{};
    std::int64_t attempt_timeout = 0;  // 0: not said
    std::vector<AttemptLine> attempts{};
};

struct ProcessLine {
    std::int64_t time = 0;
    std::string_view instance{};
    std::optional<double> utilization{};
    std::int64_t tick_late = 0, interval = 0;
    std::uint64_t dropped_lines = 0;
};

enum class LineKind : unsigned char { call, process, journal, unreadable };

// Used by one thread.
class LineReader {
public:
    // So many bytes behind the line must belong to the same memory; what they hold does not matter.
    static constexpr std::size_t padding = 64;

    LineReader();
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    LineKind read(std::string_view line);
    [[nodiscard]] const CallLine& call() const { return call_; }
    [[nodiscard]] const ProcessLine& process() const { return process_; }
    [[nodiscard]] const std::string& wrong() const { return wrong_; }  // of an unreadable line

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
    CallLine call_;
    ProcessLine process_;
    std::string wrong_;
};

}  // namespace tool::doctor
