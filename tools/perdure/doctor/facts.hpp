// SPDX-License-Identifier: Apache-2.0
//
// What do the counts say, before anybody is blamed? Numbers only; causes.hpp judges them.
//
//     const Facts facts = facts_of(tally, {.sla = 0.999});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/tally.hpp"

namespace tool::doctor {

struct Wishes {
    double sla = 0.99;                  // the share of calls that should succeed
    std::optional<std::int64_t> p99{};  // nanoseconds
};

// Some of many (instances, addresses) that are much worse than the rest.
struct Subset {
    std::vector<std::string> names{};
    std::size_t of = 0;         // how many there are
    Share inside{}, outside{};  // affected of all
    double steady = 0;          // the share inside without its worst stretch of time
    double chance = 1;    // that the least striking of them is no worse than the rest, corrected
    Share compared{};     // instances only: calls made while others were there to compare with
    double times = 1;     // instances only: affected so many times as often as those others
    double slowness = 1;  // how many times longer their slow calls take; 1 where it is failures
    std::size_t instances = 0, instances_affected = 0;  // addresses only: who uses them
};

struct Starving {
    Share calls{};              // that ran while their process was starved
    Share hurt{}, hurt_else{};  // slow or affected, while starved and else
    bool contrast = false;      // there is enough time that was not starved
    Share late{};               // calls in which own lateness is a good part
    Share late_ticks{};         // intervals whose timer came 20 ms late and more
    std::vector<std::string> instances{};
    double utilization = 0;
    std::int64_t tick_late = 0;
};

// The operation whose attempts are most often cut off by their timeout.
struct Cut {
    std::string work{};
    Share cut{};             // attempts
    Share at_limit{};        // of those, the ones that took the same time: a limit at work
    double near = 0;         // good answers in the last half before the limit, per attempt cut off
    std::int64_t limit = 0;  // nanoseconds; 0: not known
    double good_p50 = 0, good_p99 = 0;  // as shares of the limit
    double through = 0;                 // share of stretches of time in which it happens
};

struct Rhythm {
    std::int64_t period = 0;  // nanoseconds; 0: none
    std::int64_t phase = 0;   // where in it
    Share inside{}, outside{};
    double repeats = 0;  // the share of periods in which it came
    std::uint64_t periods = 0;
    std::uint64_t lines = 0, lines_in_all = 0;  // inside, and in all
    double chance = 1;
};

// The time in which at least a fifth of the calls were affected.
struct Storm {
    std::uint64_t calls = 0, attempts = 0, failed = 0;
    std::uint64_t retried = 0, in_vain = 0;
    std::uint64_t troubled = 0, by_load = 0;  // attempts; overloaded or timed out
};

struct Hot {
    std::string subject{};
    Share inside{}, outside{};
    double share = 0;  // of all that were limited and whose subject is known
    double known = 0;  // how much of what was limited names a subject
    double chance = 1;
};

struct Oversized {
    Share large{}, small{};  // refused to the end
    std::uint64_t from = 0;  // what counts as large
    std::uint64_t typical = 0;
    const char* measure = "";  // "bytes", "units"
};

struct Facts {
    Wishes wishes{};
    std::uint64_t calls = 0, troubled = 0;  // troubled: attempts
    Share failed{}, affected{}, steady{};   // calls; steady: affected, without the worst stretch
    std::array<double, cause_count>
        mix{};  // of troubled attempts, and of final answers beside them
    std::int64_t p99 = 0;
    std::array<std::int64_t, part_count> p99_without{};
    Subset instances{}, slow_instances{}, places{};
    std::size_t instances_affected = 0;
    Starving starving{};
    Share slow_by_dns{};
    Cut cut{};
    Rhythm rhythm{};
    Storm storm{};
    Hot hot{};
    Oversized oversized{};
    double amplification = 1;
    Share useful{};  // retried calls that then succeeded

    [[nodiscard]] double gain(Part part) const {
        const auto without = static_cast<double>(p99_without[static_cast<std::size_t>(part)]);
        return p99 == 0 ? 0 : 1 - without / static_cast<double>(p99);
    }
    [[nodiscard]] double of(Cause cause) const { return mix[static_cast<std::size_t>(cause)]; }
    // Is anything wrong at all, wherever it comes from?
    [[nodiscard]] bool outside_sla() const { return at_least(failed) > 1 - wishes.sla; }
    [[nodiscard]] bool outside_p99() const { return wishes.p99 && p99 > *wishes.p99; }
    [[nodiscard]] bool trouble() const {
        return outside_sla() || outside_p99() || at_least(steady) > 0.015;
    }
};

Facts facts_of(const Tally& tally, const Wishes& wishes);

// --- the parts of it, for tests ---

struct Counted {
    std::string name;
    Share share;
    double steady = 0;
    // The same, counted in lines, where a line may stand for many calls; empty: as the share. Lines
    // that stand for ten calls are known no better than those that stand for one, and the odds of
    // trouble differ between groups in lines as they do in calls.
    Share lines{};
};
// Those that are each worse than the rest by more than chance (Fisher, corrected for their number).
// At most `most` of them; empty when none stands out.
Subset subset_of(std::vector<Counted> groups, std::size_t most);
Rhythm rhythm_of(const Timeline& timeline, std::uint64_t slow);
Cut cut_of(const Tally& tally);
Starving starving_of(const Tally& tally);
Hot hot_of(const Tally& tally);
Oversized oversized_of(const Tally& tally);

}  // namespace tool::doctor
