// SPDX-License-Identifier: Apache-2.0
//
// A drill: callers of three kinds on the same server at the same time, a break, and what became of the
// calls. docs/reference/promises.md says what is promised.
//
//     const Outcome outcome = run_drill({.name = "PostgreSQL restarted"}, ways, counts,
//         [&] { server.stop(); }, [&] { server.start(); });
//     expect_promises(outcome);
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "promises/support/callers.hpp"
#include "promises/support/tally.hpp"

namespace perdure::promises {

// The three ways, by the names they have at the server.
inline constexpr std::array<const char*, 3> way_keys{"perdure", "four", "until"};
inline constexpr const char* js_key = "js";  // where @azure/cosmos stands beside them
[[nodiscard]] std::string title_of(const std::string& key);

// How to make a call in each way.
using Ways = std::array<Call, 3>;

// What the server has counted about one way.
struct ServerCounts {
    Effects effects{};
    int requests = 0;  // that it worked on, repeated ones included
    int connects = 0;  // sessions or connections opened
    int at_sick = 0;   // of the requests those at the place that is sick
};
using ReadCounts = std::function<ServerCounts(const std::string& way)>;

// Whether a call that was committing when the break came may be reported as unknown. After a crash the
// server itself cannot tell, and MariaDB cannot be asked about a transaction at all.
enum class Doubts : std::uint8_t { resolved, may_remain };

// Whether calls begun later are promised too: where another address is there all the time, they are.
enum class Later : std::uint8_t { shown, promised };

struct Drill {
    std::string name{};
    int callers = 32;
    int pool = 10;  // for the page; the ways have it
    Doubts doubts = Doubts::resolved;
    Later later = Later::shown;
    int warm_up = 1;  // calls of each caller before the break: little traffic, the smallest budget
    int after = 2;    // and after the repair
};

struct Outcome {
    Drill drill{};
    Duration away{};       // from the break to the end of the repair
    bool complete = true;  // all callers came to the break, and through it
    std::array<Tally, 3> tallies{};
    std::array<ServerCounts, 3> counts{};
};

// Runs the callers, breaks, repairs, waits for the calls in flight and some begun later. `repair` may
// wait before it repairs: see stay_broken.
[[nodiscard]] Outcome run_drill(const Drill& drill, const Ways& ways, const ReadCounts& read_counts,
                                const std::function<void()>& strike,
                                const std::function<void()>& repair);
// Returns after that time.
void stay_broken(Duration time);

// The promises that Perdure did not keep, a sentence each.
[[nodiscard]] std::vector<std::string> broken_promises(const Outcome& outcome);
// Fails the test for each of them. Prints the figures, also into the file that PERDURE_PROMISES_PAGE
// names.
void expect_promises(const Outcome& outcome);

// Why drills of the long form are not run; empty if they are.
[[nodiscard]] std::string short_form();

// The drills of a suite that only `make promises` runs.
template <class Suite>
class LongForm : public Suite {
protected:
    void SetUp() override {
        if (!short_form().empty()) GTEST_SKIP() << short_form();
        Suite::SetUp();
    }
};

}  // namespace perdure::promises
