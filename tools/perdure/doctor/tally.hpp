// SPDX-License-Identifier: Apache-2.0
//
// What is kept of millions of lines? Counts, distributions and a few examples, in bounded memory and
// so that the order of lines and files does not matter.
//
//     Tally tally;
//     tally.add(reader.call());
//
// Trouble is an attempt that failed for a reason worth repeating, or that was cut off by a timeout.
// Answers about the request (conflict, not found, invalid, too large, forbidden) and cancelled calls
// are counted apart: they say nothing about the service's health.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "doctor/groups.hpp"
#include "doctor/journal_line.hpp"
#include "perdure/stats/sketch.hpp"

namespace tool::doctor {

// Where a call's time went.
enum class Part : unsigned char { retries, waiting, pool, dns, connect, server, own };
inline constexpr std::size_t part_count = 7;
std::string_view to_string(Part part);
using Parts = std::array<std::int64_t, part_count>;

// In what way an attempt was in trouble, or nothing.
std::optional<Cause> trouble_of(const AttemptLine& attempt, const CallLine& call);

// One owner.
class Tally {
public:
    void add(const CallLine& call);
    void add(const ProcessLine& process);

    std::uint64_t calls = 0, lines = 0;
    std::uint64_t failed = 0;       // by trouble
    std::uint64_t answered_no = 0;  // conflict, not found, …
    std::uint64_t cancelled = 0;
    std::uint64_t affected = 0;  // calls with at least one attempt in trouble
    std::uint64_t retried = 0, retried_in_vain = 0;
    std::uint64_t attempts = 0;  // without hedges
    std::uint64_t hedges = 0, hedges_won = 0;
    std::uint64_t overran = 0;  // attempts that ended after their deadline
    std::uint64_t stopped_by_budget = 0, budget_known = 0, budget_empty = 0;
    std::uint64_t slow_by_dns = 0, slow_by_own = 0;
    std::uint64_t limited = 0, limited_with_subject = 0, with_subject = 0;
    Share lines_with_subject{};
    std::int64_t first = 0, last = 0;

    std::array<std::uint64_t, cause_count> causes{};  // attempts
    Sketch elapsed{};
    std::array<Sketch, part_count> without{};  // the same without that part
    std::array<double, part_count> sums{};
    double elapsed_sum = 0;

    Timeline timeline{4096};
    Groups<Instance> instances{256};
    Groups<Place> places{128};
    Groups<Group> dependencies{64};
    Groups<Work> works{256};
    Groups<Code> codes{256};
    Subjects subjects{};
    std::array<SizeClass, 65> by_bytes{}, by_units{};

private:
    struct Seen;  // one call, looked at once
    void count(const CallLine& call, const Seen& seen);
    void count_time(const CallLine& call);
    void count_attempts(const CallLine& call, const Seen& seen);
    void count_trouble(const CallLine& call, const AttemptLine& attempt, Cause cause,
                       const Seen& seen);
    void count_subject(const CallLine& call, const Seen& seen);
};

// Everything, and each dependency by itself: trouble with one of five services is diluted in the
// whole, and each service has its own idea of fast. The first few dependencies only. One owner.
struct Tallies {
    static constexpr std::size_t most = 8;
    Tally whole{};
    std::map<std::string, Tally, std::less<>> by_dependency{};

    void add(const CallLine& call);
    void add(const ProcessLine& process) { whole.add(process); }
};

// Nearly all of the processor is taken, or timers come late by 50 ms and more.
bool starved(const ProcessLine& process);

}  // namespace tool::doctor
