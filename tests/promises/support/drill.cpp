// SPDX-License-Identifier: Apache-2.0
#include "promises/support/drill.hpp"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <string_view>

#include "live/support/sql_server.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::promises {
namespace {

using live::becomes_true;

using Crowds = std::list<Callers>;

// Looks at all of them each time.
template <class Looks>
bool wait_for_all(Crowds& crowds, Looks looks) {
    return becomes_true([&] { return std::ranges::count_if(crowds, looks) == std::ssize(crowds); },
                        90s);
}

// A server takes a while to end its sessions; calls begun after this time count as later ones.
constexpr Duration slowest_break = 1s;

int lost(const CallCounts& calls) { return calls.calls - calls.done_once; }

// What a server may be asked to do for one client: a few requests more than calls, two more for each
// call that the break caught, and six for a client with little traffic.
int most_requests(const Tally& tally) {
    return tally.all.calls + tally.all.calls / 10 + 2 * tally.in_flight.calls + 6;
}

class Verdict {
public:
    explicit Verdict(const Outcome& outcome) : outcome_{outcome}, ours_{outcome.tallies[0]} {}

    std::vector<std::string> broken() {
        if (!outcome_.complete) sentences_.emplace_back("the drill did not come to its end");
        at_least("calls in flight, so that something is shown", ours_.in_flight.calls,
                 outcome_.drill.callers / 2);
        at_most("calls done twice", ours_.all.doubled, 0);
        at_most("wrong words", ours_.all.wrong_word, 0);
        if (outcome_.drill.doubts == Doubts::resolved)
            at_most("calls in flight reported as unknown", ours_.in_flight.unknown, 0);
        at_most("calls in flight not done exactly once (limit: the better loop's)",
                lost(ours_.in_flight) - excused(), better_loop(&Tally::in_flight));
        if (outcome_.drill.later == Later::promised)
            at_most("calls begun later not done exactly once (limit: the better loop's)",
                    lost(ours_.later), better_loop(&Tally::later));
        if (outcome_.away <= 5s)
            at_most("calls in flight reported as not done, the server back within 5 s",
                    ours_.in_flight.not_done, 0);
        at_most("requests the server worked on", outcome_.counts[0].requests, most_requests(ours_));
        return sentences_;
    }

private:
    [[nodiscard]] int excused() const {
        // No more COMMITs can have been under way than there are sessions.
        return outcome_.drill.doubts == Doubts::may_remain
                   ? std::min(ours_.in_flight.unknown, outcome_.drill.pool)
                   : 0;
    }
    [[nodiscard]] int better_loop(CallCounts Tally::* which) const {
        return std::min(lost(outcome_.tallies[1].*which), lost(outcome_.tallies[2].*which));
    }
    void at_most(std::string_view what, int is, int limit) {
        if (is > limit)
            sentences_.push_back(std::string{what} + ": " + std::to_string(is) +
                                 ", promised at most " + std::to_string(limit));
    }

    void at_least(std::string_view what, int is, int limit) {
        if (is < limit)
            sentences_.push_back(std::string{what} + ": " + std::to_string(is) +
                                 ", needed at least " + std::to_string(limit));
    }

    const Outcome& outcome_;
    const Tally& ours_;
    std::vector<std::string> sentences_;
};

}  // namespace

std::string title_of(const std::string& key) {
    if (key == way_keys[0]) return "Perdure";
    if (key == js_key) return "JavaScript SDK";
    return key == way_keys[1] ? "loop of four" : "loop until the deadline";
}

void stay_broken(Duration time) {
    const TimePoint until = system_clock().now() + time;
    becomes_true([&] { return system_clock().now() >= until; }, time);
}

Outcome run_drill(const Drill& drill, const Ways& ways, const ReadCounts& read_counts,
                  const std::function<void()>& strike, const std::function<void()>& repair) {
    Crowds crowds;
    for (const Call& call : ways) crowds.emplace_back(drill.callers, call);
    Outcome outcome{.drill = drill};
    outcome.complete = wait_for_all(crowds, [&](const Callers& callers) {
        return callers.ended() >= drill.callers * drill.warm_up;
    });
    Break at{.from = system_clock().now()};
    strike();
    at.until = std::min(system_clock().now(), at.from + slowest_break);
    repair();
    const TimePoint back_at = system_clock().now();
    outcome.away = back_at - at.from;

    // Each way ends when it has made its calls, so that a quick one does not make more than the others.
    const bool ended = wait_for_all(crowds, [&](Callers& callers) {
        const bool enough =
            !callers.in_flight_since_before(at.until) &&
            callers.ended_of_those_begun_after(back_at) >= drill.callers * drill.after;
        if (enough) callers.begin_no_more();
        return enough;
    });
    outcome.complete = outcome.complete && ended;
    for (Callers& callers : crowds) callers.stop();
    std::size_t i = 0;
    for (const Callers& callers : crowds) {
        outcome.counts[i] = read_counts(way_keys[i]);
        outcome.tallies[i] = tally_of(callers.notes(), at, outcome.counts[i].effects);
        ++i;
    }
    return outcome;
}

std::vector<std::string> broken_promises(const Outcome& outcome) {
    return Verdict{outcome}.broken();
}

std::string short_form() {
    const char* const form = std::getenv("PERDURE_PROMISES");  // NOLINT(concurrency-mt-unsafe)
    if (form && std::string_view{form} == "full") return {};
    return "set PERDURE_PROMISES=full, or run make promises";
}

}  // namespace perdure::promises
