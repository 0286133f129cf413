// SPDX-License-Identifier: Apache-2.0
#include "promises/support/region_drill.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <sstream>
#include <string_view>
#include <utility>

#include "live/support/sql_server.hpp"
#include "perdure/time/clock.hpp"
#include "promises/support/page.hpp"

namespace perdure::promises {
namespace {

using Crowds = std::list<Callers>;

constexpr Duration first_second = 1s;
// Each caller has made a call or two by then, and some calls are in flight.
constexpr Duration before_the_strike = 100ms;
// One program, several threads.
constexpr int short_deadline_callers = 8;

// A way that waits a second between its tries does not get its calls done in the time of the others, and
// what it has not begun by then counts as not done.
Duration longest_time(const RegionDrill& drill) { return drill.calls * drill.apart * 5 / 2; }

int scheduled(const RegionDrill& drill) { return drill.callers * drill.calls; }

void wait_for_all(Crowds& crowds, int calls, Duration at_most) {
    live::becomes_true(
        [&] {
            return std::ranges::all_of(
                crowds, [&](const Callers& callers) { return callers.ended() == calls; });
        },
        at_most);
}

// An unknown outcome that cannot be resolved is not a lost call.
int done(const RegionDrill& drill, const CallCounts& calls) {
    const bool doubts = drill.doubts == Doubts::may_remain;
    return calls.done_once + (doubts ? calls.unknown : 0);
}

class RegionVerdict {
public:
    explicit RegionVerdict(const RegionOutcome& outcome)
        : drill_{outcome.drill}, outcome_{outcome}, ours_{outcome.ways.front()} {}

    std::vector<std::string> broken() {
        const CallCounts& all = ours_.tally.all;
        at_least("calls made", all.calls, scheduled(drill_));
        at_most("calls done twice", all.doubled, 0);
        at_most("wrong words", all.wrong_word, 0);
        at_most("calls reported as unknown",
                drill_.doubts == Doubts::resolved ? all.unknown : ours_.unfounded_unknown, 0);
        for (std::size_t i = 1; i < outcome_.ways.size(); ++i) {
            const WayOutcome& other = outcome_.ways[i];
            if (drill_.beside == Beside::the_sdk && other.key != js_key) continue;
            at_least("calls done exactly once, beside " + title_of(other.key), done(drill_, all),
                     other.tally.all.done_once);
        }
        at_least("calls after the first second, so that something is shown", ours_.late_calls,
                 drill_.sick.range.empty() ? scheduled(drill_) / 4 : 1);
        if (drill_.sick_share == SickShare::promised)
            at_most("requests at the sick place after the first second", ours_.counts.late_at_sick,
                    std::max(1, ours_.late_calls / 100));
        return sentences_;
    }

private:
    void at_most(std::string_view what, int is, int limit) {
        if (is > limit) say(what, is, "promised at most", limit);
    }
    void at_least(std::string_view what, int is, int limit) {
        if (is < limit) say(what, is, "promised at least", limit);
    }
    void say(std::string_view what, int is, std::string_view promised, int limit) {
        std::ostringstream sentence;
        sentence << what << ": " << is << ", " << promised << " " << limit;
        sentences_.push_back(sentence.str());
    }

    const RegionDrill& drill_;
    const RegionOutcome& outcome_;
    const WayOutcome& ours_;
    std::vector<std::string> sentences_;
};

long milliseconds(Duration time) {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

std::string row_of(const WayOutcome& way) {
    std::ostringstream row;
    row << "| " << title_of(way.key) << cells_of(way.tally.in_flight) << cells_of(way.tally.later)
        << " | " << way.tally.all.done_once << " of " << way.tally.all.calls << " | "
        << way.counts.requests << " | " << way.counts.at_sick << " | " << way.counts.late_at_sick
        << " of " << way.late_calls << " | " << milliseconds(way.longest) << " |\n";
    return row.str();
}

std::string about(const RegionDrill& drill) {
    std::ostringstream text;
    text << drill.callers << " callers in each way, " << drill.calls << " calls of each, "
         << milliseconds(drill.apart) << " ms apart; the sick place is " << drill.sick.region;
    if (!drill.sick.range.empty()) text << ", range " << drill.sick.range;
    text << ".";
    return text.str();
}

}  // namespace

RegionOutcome run_region_drill(const RegionDrill& drill, const std::vector<RegionWay>& ways,
                               const ReadRegionCounts& read_counts, const RegionBreak& at) {
    for (const RegionWay& way : ways) EXPECT_EQ(way.warm_up(0).why, "") << title_of(way.key);
    Crowds crowds;
    Crowds hurried;
    for (const RegionWay& way : ways)
        crowds.emplace_back(drill.callers, way.call, Pace{drill.calls, drill.apart});
    stay_broken(before_the_strike);
    const TimePoint struck_at = system_clock().now();
    at.strike();
    for (const RegionWay& way : ways)
        if (way.with_short_deadline)
            hurried.emplace_back(short_deadline_callers, way.with_short_deadline);
    if (at.repaired_after > Duration::zero()) {
        stay_broken(at.repaired_after);
        at.repair();
    }
    wait_for_all(crowds, scheduled(drill), longest_time(drill));
    for (Crowds* const all : {&crowds, &hurried}) {
        for (Callers& callers : *all) callers.begin_no_more();
        for (Callers& callers : *all) callers.stop();
    }
    RegionOutcome outcome{.drill = drill};
    auto crowd = crowds.begin();
    for (const RegionWay& way : ways)
        outcome.ways.push_back(outcome_of(drill.does, way.key, (crowd++)->notes(), struck_at,
                                          read_counts(way.key, struck_at + first_second)));
    return outcome;
}

WayOutcome outcome_of(Does does, const std::string& key, const std::vector<CallNote>& notes,
                      TimePoint struck_at, RegionCounts counts) {
    WayOutcome way{.key = key};
    const Break at{.from = struck_at, .until = struck_at + first_second};
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const Word word = notes[i].told.word;
        if (does == Does::read && word != Word::done) counts.effects.erase(number);
        // The account has no record of a request whose connection it closed before it answered.
        const bool in_flight = notes[i].began < struck_at && notes[i].ended > struck_at;
        const bool met = in_flight || counts.met.contains(number);
        if (word == Word::unknown && !met) ++way.unfounded_unknown;
        if (notes[i].began < at.until) continue;
        way.late_calls += counts.about.contains(number) ? 1 : 0;
        way.longest = std::max(way.longest, notes[i].ended - notes[i].began);
    }
    way.tally = tally_of(notes, at, counts.effects);
    way.counts = std::move(counts);
    return way;
}

std::vector<std::string> broken_promises(const RegionOutcome& outcome) {
    return RegionVerdict{outcome}.broken();
}

void expect_promises(const RegionOutcome& outcome) {
    Section section{.title = outcome.drill.name,
                    .about = about(outcome.drill),
                    .table = "|" + heads_of("first second") + heads_of("after it") +
                             " | all done once | requests | at the sick place | of these after the "
                             "first second | longest after it, ms |\n" +
                             rule_of(18),
                    .broken = broken_promises(outcome)};
    for (const WayOutcome& way : outcome.ways) {
        section.table += row_of(way);
        section.failures[title_of(way.key)] = way.tally.failures;
    }
    publish(section);
}

}  // namespace perdure::promises
