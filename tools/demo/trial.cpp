// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include <algorithm>
#include <fstream>

#include "child.hpp"
#include "exit_code.hpp"
#include "failures.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/try.hpp"

namespace demo {

namespace {

constexpr Duration look_every = 20ms;
constexpr Duration give_up_after = 2min;
constexpr int most_starts = 8;

// How many rows are there? Looked at from outside, while others write. Rows are only ever added, so
// the last number is their count, and costs no scan.
class Onlooker {
public:
    explicit Onlooker(const std::string& path) {
        if (auto driver = sql::sqlite(
                path, {.journal = sql::Journal::as_it_is, .create = sql::Creation::must_exist}))
            database_.emplace(*driver);
    }

    std::uint64_t rows() {
        if (!database_) return rows_;
        const auto found = database_->query({.deadline = 200ms}, "select max(rowid) from orders");
        if (const auto last =
                found ? found->single<std::uint64_t>() : Result<std::uint64_t>{std::uint64_t{0}})
            rows_ = std::max(rows_, *last);
        return rows_;
    }

private:
    std::optional<sql::Database> database_;
    std::uint64_t rows_ = 0;
};

// Used by one thread.
class Watch {
public:
    Watch(const TrialPlan& plan, tool::Signals& signals)
        : plan_{plan}, signals_{signals}, onlooker_{database_of(plan)} {}

    Result<Trial> run();

private:
    Result<int> one_start(Turn turn, std::uint64_t kill_at);
    void look();
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(clock_.now() - begun_).count();
    }

    const TrialPlan& plan_;
    tool::Signals& signals_;
    Clock& clock_ = system_clock();
    TimePoint begun_ = clock_.now();
    Onlooker onlooker_;
    Trial trial_;
};

void Watch::look() {
    const std::uint64_t rows = onlooker_.rows();  // may take a moment, so the time is read after it
    const Moment now{seconds(), rows};
    // A point for each change, and where it stood still the end of that.
    auto& all = trial_.timeline;
    const bool still =
        all.size() >= 2 && all.back().rows == now.rows && all[all.size() - 2].rows == now.rows;
    if (still) all.back() = now;
    else all.push_back(now);
    if (plan_.tell)
        plan_.tell(plan_.name + ": " + std::to_string(100 * now.rows / plan_.orders) +
                   " % of the rows, kills: " + std::to_string(trial_.kills.size()));
}

// The exit status; of one that was killed, 128 + SIGKILL.
Result<int> Watch::one_start(Turn turn, std::uint64_t kill_at) {
    ++trial_.starts;
    Child child{plan_.command(trial_.starts, turn),
                {.out = output_of(plan_, trial_.starts), .log = log_of(plan_)},
                signals_};
    while (child.runs()) {
        signals_.next(after(clock_.now(), look_every));
        if (signals_.ended_by() != 0) return fail(trouble("interrupted"));
        if (clock_.now() - begun_ > give_up_after)
            return fail(trouble(plan_.name + " did not come to an end in two minutes; see " +
                                log_of(plan_)));
        look();
        if (turn == Turn::to_be_killed && trial_.timeline.back().rows >= kill_at) {
            child.kill();
            trial_.kills.push_back(trial_.timeline.back());
        }
    }
    return child.status();
}

// Done, or stopped in a way that starting it again does not mend.
bool is_over(int status) {
    return status != tool::exit_code::stopped && status < tool::exit_code::signal_offset;
}

Result<Trial> Watch::run() {
    trial_.name = plan_.name;
    trial_.timeline.push_back({});
    const std::size_t kills = plan_.kill_at.size();
    bool over = false;
    for (std::size_t next = 0; !over && trial_.starts < most_starts;) {
        const Turn turn = next < kills ? Turn::to_be_killed : Turn::last;
        const double share = next < kills ? plan_.kill_at[next] : 0;
        PERDURE_TRY_VALUE(
            trial_.status,
            one_start(turn, static_cast<std::uint64_t>(share * static_cast<double>(plan_.orders))));
        over = turn == Turn::last && is_over(trial_.status);
        next = is_over(trial_.status) ? kills : trial_.kills.size();
    }
    look();
    trial_.elapsed = clock_.now() - begun_;
    return std::move(trial_);
}

void read_locks(const std::string& path, Trial& trial) {
    std::ifstream file{path};
    for (long long milliseconds = 0; file >> milliseconds; ++trial.locks)
        trial.longest_lock = std::max(trial.longest_lock, Duration{milliseconds * 1ms});
}

}  // namespace

std::string database_of(const TrialPlan& plan) { return plan.folder + '/' + plan.label + ".db"; }
std::string log_of(const TrialPlan& plan) { return plan.folder + '/' + plan.label + ".log"; }
std::string output_of(const TrialPlan& plan, int start) {
    return plan.folder + '/' + plan.label + '-' + std::to_string(start) + ".out";
}

Result<Trial> run_trial(const TrialPlan& plan, tool::Signals& signals) {
    const std::string locks = plan.folder + '/' + plan.label + ".locks";
    Child holder{plan.lock_command, {.out = locks, .log = locks + ".log"}, signals};
    Watch watch{plan, signals};
    auto trial = watch.run();
    holder.kill();
    if (trial) read_locks(locks, *trial);
    return trial;
}

}  // namespace demo
