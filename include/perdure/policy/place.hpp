// SPDX-License-Identifier: Apache-2.0
//
// Is this place of a dependency worth another attempt? An endpoint, a region, a partition range: what
// its calls paid in, and how it does.
//
//     Place east{"https://east.example", caller.budget().for_place()};
//     if (!east.marked(now) && east.pay(1400, dependency, memory, now)) …
//
// A retry pays at the place it goes to and at the dependency. The place's budget keeps one sick place
// from spending what the others earn; the dependency's bounds all of them together, however many there
// are. Either alone fails: docs/decisions/2026-11-17-budget-in-two-levels.md.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "perdure/policy/budget.hpp"
#include "perdure/stats/sketch.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

struct PlaceOptions {
    int failures_to_mark = 3;  // in a row; 0: never by itself
    Duration mark_for = 10s;
    double spread = 0.1;  // of `mark_for`, either way, so that not all clients return at once
};

// Safe for any number of threads.
class Place final : public Traffic {
public:
    // Without a budget of its own it costs only what the dependency asks.
    explicit Place(std::string name, std::unique_ptr<Budget> budget = nullptr,
                   const PlaceOptions& options = {});
    // A part of a larger place that can fail alone, such as a partition range of a region. It pays and
    // earns at `larger`, which must outlive it; what happens here counts there too, and a mark there
    // holds here.
    Place(std::string name, Place& larger, const PlaceOptions& options);
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() override;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    // The place that pays: itself, or the one that it is a part of.
    [[nodiscard]] const Place& whole() const noexcept { return larger_ ? larger_->whole() : *this; }

    // Pays here and at the dependency, or nowhere. A place that does well has room for the calls that a
    // break elsewhere has caught.
    [[nodiscard]] bool pay(int cost_milli, Budget& dependency, const Traffic& traffic,
                           TimePoint now) noexcept;
    // The part of this place alone, for who has paid at the dependency.
    [[nodiscard]] bool pay_here(int cost_milli, const Budget& dependency, TimePoint now) noexcept;

    // An attempt goes there. After a mark that its failures set, the first one to come back renews the
    // mark and so goes alone: what is still sick hurts one call, not all.
    void visit(TimePoint now, Random& random) noexcept {
        if (larger_) larger_->visit(now, random);
        if (sick() && !marked(now)) go_alone(now, random);
    }

    enum class Visit : std::uint8_t { first, again };  // of one call
    // Deposits at a first visit, and takes back `refund_milli`, what the last paid attempt cost.
    void succeeded(Visit visit, int refund_milli, Duration took, TimePoint now) noexcept;
    // A failure that counts against the service. `dependency` gets room for the calls it caught here.
    void failed(const FailedAttempt& failed, Budget& dependency, Random& random) noexcept;
    // The same for the health of this place alone: the larger one has been told.
    void failed_here(TimePoint now, Random& random) noexcept;
    // An attempt from `begun` to `now` without an answer that its caller gave less than `fair`. Says true,
    // and is a failure, as often as such attempts have waited for `fair` together, and for as long on the
    // clock, and nothing was answered meanwhile.
    [[nodiscard]] bool kept_silent(TimePoint begun, TimePoint now, Duration fair) noexcept;
    // It answered, whatever it said: a row of failures is over, and the mark that the row has set.
    void answered() noexcept;
    // What was paid here is not needed after all.
    void give_back(int cost_milli) noexcept;

    // Puts it last for `mark_for`, which is drawn anew for every mark: see PlaceOptions::spread.
    void mark(TimePoint now, Random& random) noexcept;
    [[nodiscard]] bool marked(TimePoint now) const noexcept {
        return now.time_since_epoch().count() < marked_until_.load(std::memory_order_relaxed) ||
               (larger_ && larger_->marked(now));
    }
    // The end of its latest mark; TimePoint::min(): it never had one.
    [[nodiscard]] TimePoint marked_until() const noexcept {
        const TimePoint own{Duration{marked_until_.load(std::memory_order_relaxed)}};
        const TimePoint all = larger_ ? larger_->marked_until() : own;
        return all > own ? all : own;
    }
    [[nodiscard]] int failures_in_a_row() const noexcept {
        return failures_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] const Budget* budget() const noexcept {
        return larger_ ? larger_->budget() : budget_.get();
    }
    [[nodiscard]] std::uint64_t first_successes() const noexcept override;
    [[nodiscard]] std::uint64_t successes() const noexcept override {
        return larger_ ? larger_->successes() : successes_.count();
    }

private:
    [[nodiscard]] TimePoint end_of_mark(TimePoint now, Random& random) const noexcept;
    [[nodiscard]] bool sick() const noexcept {
        return options_.failures_to_mark > 0 && failures_in_a_row() >= options_.failures_to_mark;
    }
    void go_alone(TimePoint now, Random& random) noexcept;

    const std::string name_;
    const std::unique_ptr<Budget> budget_;
    const PlaceOptions options_;
    Place* const larger_ = nullptr;
    SharedSketch successes_{Resolution::count_only};
    std::atomic<std::uint64_t> visits_again_{0};  // that succeeded
    std::atomic<int> failures_{0};                // in a row
    // What hurried attempts waited since the last answer, and since when; 0: there was none.
    std::atomic<Duration::rep> silence_{0};
    std::atomic<Duration::rep> silent_since_{0};
    std::atomic<Duration::rep> marked_until_;
};

// Where the attempts of one call can go. Belongs to the call; asked by Progress.
class Places {
public:
    virtual ~Places() = default;
    // The place of an endpoint's number (Attempt::endpoint): the same number, the same place. A new
    // number is the best place where this call has not been; when it has been everywhere, the best one.
    [[nodiscard]] virtual Place& at(int endpoint, TimePoint now) = 0;
    [[nodiscard]] virtual int count(TimePoint now) const = 0;
    // Of a request and its copies one was answered; null: the request itself.
    virtual void race_ended(Place* /*winning_copy*/) {}
};

}  // namespace v0
}  // namespace perdure
