// SPDX-License-Identifier: Apache-2.0
//
// A drill of regions: clients of several kinds on one account, at the same time and with the same number
// of calls, while a region or a partition range in it falls sick. docs/reference/promises.md says what is
// promised.
//
//     expect_promises(run_region_drill({.name = "…", .sick = {"East US"}}, ways, counts,
//                                      {.strike = [&] { account.plan(says(503)); }}));
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "promises/support/drill.hpp"

namespace perdure::promises {

enum class Does : std::uint8_t { read, write };

// The region or range that fails. After the first second few requests should go there.
struct SickPlace {
    std::string region{};
    std::string range{};  // id of a partition key range; empty: all of them
};

// Whether a limit for these requests is promised: only where a healthy place can serve the calls.
enum class SickShare : std::uint8_t { shown, promised };
// Beside whom as many calls are promised. A loop has no retry budget: where there is no healthy place, it
// gets more done in a short outage, and it is the storm in a long one.
enum class Beside : std::uint8_t { all_ways, the_sdk };

struct RegionDrill {
    std::string name{};
    Does does = Does::read;
    SickPlace sick{};
    // may_remain: a request to the sick place may have been applied.
    Doubts doubts = Doubts::resolved;
    SickShare sick_share = SickShare::promised;
    Beside beside = Beside::all_ways;
    int callers = 16;
    int calls = 40;             // of each caller
    Duration apart = 100ms;     // between the beginnings of two calls of one caller
    Duration call_takes{25ms};  // at the account
};

// One kind of client.
struct RegionWay {
    std::string key{};
    Call call{};
    // Calls of one program with short deadlines, begun after the strike; their outcomes are not counted.
    Call with_short_deadline{};
    Call warm_up{};  // once, before all others
};

// What the account has counted about one way.
struct RegionCounts {
    Effects effects{};
    int requests = 0;
    int at_sick = 0;                 // of the requests those at the sick place
    int late_at_sick = 0;            // of these those after the first second
    std::set<std::int64_t> met{};    // calls with a request at the sick place
    std::set<std::int64_t> about{};  // calls about what is sick
};
using ReadRegionCounts =
    std::function<RegionCounts(const std::string& way, TimePoint first_second_over)>;

struct RegionBreak {
    std::function<void()> strike{};
    Duration repaired_after{};  // zero: never
    std::function<void()> repair{};
};

struct WayOutcome {
    std::string key{};
    Tally tally{};  // in_flight: in the first second
    RegionCounts counts{};
    int late_calls = 0;         // begun after the first second, about what is sick
    int unfounded_unknown = 0;  // reported as unknown without a request to the sick place
    Duration longest{};         // of the calls begun after the first second
};

struct RegionOutcome {
    RegionDrill drill{};
    std::vector<WayOutcome> ways{};  // the first is Perdure's
};

[[nodiscard]] RegionOutcome run_region_drill(const RegionDrill& drill,
                                             const std::vector<RegionWay>& ways,
                                             const ReadRegionCounts& read_counts,
                                             const RegionBreak& at);
// One way's calls held against what the account has counted. A read that was answered and did not reach
// its caller has changed nothing.
[[nodiscard]] WayOutcome outcome_of(Does does, const std::string& key,
                                    const std::vector<CallNote>& notes, TimePoint struck_at,
                                    RegionCounts counts);
// The promises that Perdure did not keep, a sentence each.
[[nodiscard]] std::vector<std::string> broken_promises(const RegionOutcome& outcome);
void expect_promises(const RegionOutcome& outcome);

}  // namespace perdure::promises
