// SPDX-License-Identifier: Apache-2.0
//
// Where does one logical call stand, and what comes next? The state machine all drivers turn.
//
//     Progress progress{memory, operation, {.now = now, .random = &random}};
//     Step step = progress.next(now);         // attempt 1
//     progress.failed(1, failure, Effect::none, now);
//     step = progress.next(now);              // wait until …, attempt 2, ask, finish
//
// No clock, no sleep, no I/O: time comes in with every word. The five questions are asked here, in
// the order of docs/concepts/five-questions.md, and nowhere else. A call that succeeds at once
// stays in this header; everything else is in progress.cpp, progress_ends.cpp and progress_decide.cpp.
#pragma once

#include "perdure/call/memory.hpp"
#include "perdure/call/observer.hpp"
#include "perdure/call/operation.hpp"
#include "perdure/call/step.hpp"
#include "perdure/policy/decide.hpp"
#include "perdure/policy/place.hpp"

namespace perdure {
inline namespace v0 {

struct Tally;
struct Trouble;  // what is remembered only once something went wrong

// Blocking drivers run one attempt at a time and cannot cut it off; concurrent ones hold several.
enum class Driving : std::uint8_t { one_at_a_time, concurrent };
enum class Resolver : std::uint8_t { none, given };

struct Setting {
    TimePoint now{};
    Random* random = nullptr;  // never null
    Observer* observer = nullptr;
    const Attempt* parent = nullptr;  // the attempt this call is nested in
    Driving driving = Driving::one_at_a_time;
    Resolver resolver = Resolver::none;
};

// Owned by one call; used by one thread at a time.
class Progress {
public:
    Progress(Memory& memory, const Operation& operation, const Setting& setting) noexcept
        : memory_{memory},
          operation_{operation},
          setting_{setting},
          breaker_{operation.breaker ? operation.breaker : memory.breaker()},
          limiter_{operation.limiter ? operation.limiter : memory.limiter()},
          started_{setting.now},
          deadline_{
              operation.deadline.tighter(Deadline::in(memory.plan().deadline, setting.now)).at()},
          careful_{!memory.plain() || setting.observer || setting.parent || operation.diagnostics ||
                   operation.limiter || operation.places ||
                   operation.attempt_timeout > Duration::zero()} {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    // A call that is dropped or threw gives its permits back.
    ~Progress() {
        if (phase_ != Phase::finished || trouble_) [[unlikely]]
            abandon();
    }

    // Attempt 1 was sent by an Opening at `Setting::now` and has failed: the word is `failed` next.
    void take_over() noexcept { attempt_at_once(started_); }
    [[nodiscard]] Step next(TimePoint now) {
        // A breaker that is not closed is asked once, in advance(): asking draws, and moves probes.
        if (phase_ == Phase::fresh && !careful_ && now < latest_end() &&
            (!breaker_ || breaker_->state() == BreakerState::closed)) [[likely]]
            return attempt_at_once(now);
        // The usual second question of a concurrent driver: nothing but to wait for the answer.
        if (phase_ == Phase::attempting && !trouble_ &&
            now < detail::earlier(latest_.deadline, hedge_at_))
            return {.kind = StepKind::wait, .until = detail::earlier(latest_.deadline, hedge_at_)};
        if (phase_ == Phase::finished && !trouble_) return {.kind = StepKind::finish};
        return advance(now);
    }

    void succeeded(int number, TimePoint now) {
        if (trouble_ || careful_) [[unlikely]]
            return succeeded_with_care(number, now);
        memory_.note_first_success(breaker_, latest_.admission,
                                   detail::later(latest_.started, latest_.connected), now);
        phase_ = Phase::finished;
    }
    // For blocking drivers, before the word about an attempt's end: was it after its deadline?
    void note_overrun(TimePoint now) {
        if (now > latest_.deadline) [[unlikely]]
            tell_overrun(now);
    }
    // The attempt has its connection: its timeout and its latency count from here, see Plan::set_up.
    void connected(int number, TimePoint now) noexcept;
    // `nested`: what calls made inside the attempt did, see AttemptLink.
    void failed(int number, Failure failure, Effect nested, TimePoint now);
    // It never left, for want of something of ours: that says nothing about the place it was meant for.
    void not_sent(int number, Failure failure, TimePoint now);
    // A success with leftovers. `cause` says why there are any.
    void partial(int number, Failure leftovers, TimePoint now);
    void prepared(Result<void> outcome, TimePoint now);
    void landed(Verdict verdict, Duration ask_again_after, TimePoint now);
    // Could not ask. But a failure that settles_earlier is an answer: it takes the place of the last one.
    void resolver_failed(const Failure& failure, TimePoint now);
    // The caller wants out. Attempts under way are cancelled; nothing is asked any more.
    void cancelled(TimePoint now);

    [[nodiscard]] bool finished() const noexcept { return phase_ == Phase::finished; }
    // After `finish` without success.
    [[nodiscard]] Failure take_failure();
    [[nodiscard]] TimePoint started() const noexcept { return started_; }
    [[nodiscard]] Deadline deadline() const noexcept { return Deadline{deadline_}; }
    [[nodiscard]] int attempts() const noexcept { return attempts_; }
    // How long an attempt that starts now may take once it is connected.
    [[nodiscard]] Duration attempt_timeout() const noexcept {
        const Duration plans = memory_.attempt_timeout();
        const Duration own = operation_.attempt_timeout;
        return own > Duration::zero() && own < plans ? own : plans;
    }

private:
    enum class Phase : std::uint8_t {
        fresh,
        waiting,
        preparing,
        starting,
        slot_reserved,
        attempting,
        asking,
        waiting_to_ask,
        finished
    };
    struct Racer {  // an attempt under way; number 0: it has ended, the times stay
        int number = 0;
        TimePoint started{};
        TimePoint deadline{};
        TimePoint connected = TimePoint::min();
        Admission admission{};
        Place::Visit visit = Place::Visit::first;
        Place* place = nullptr;
    };
    friend struct Trouble;

    Step attempt_at_once(TimePoint now) noexcept {
        phase_ = Phase::attempting;
        attempts_ = 1;
        latest_.number = 1;
        latest_.started = now;
        latest_.deadline = detail::earlier(after(now, memory_.attempt_limit()), latest_end());
        return {.kind = StepKind::attempt, .number = 1, .until = latest_.deadline};
    }
    [[nodiscard]] TimePoint latest_end() const noexcept {
        return setting_.resolver == Resolver::none ? deadline_
                                                   : after(deadline_, -resolve_reserve());
    }
    // With what it may take to connect.
    [[nodiscard]] Duration attempt_limit() const noexcept {
        return memory_.attempt_limit() - (memory_.attempt_timeout() - attempt_timeout());
    }
    [[nodiscard]] TimePoint latest_start() const noexcept;
    [[nodiscard]] Duration resolve_reserve() const noexcept;

    Step advance(TimePoint now);
    void begin(TimePoint now);
    void start_attempt(TimePoint now);
    Step launch(TimePoint now);
    Step watch_attempts(TimePoint now);
    bool hedge_now(TimePoint now);
    void cut_off_late(TimePoint now);

    void succeeded_with_care(int number, TimePoint now);
    [[gnu::cold]] void tell_overrun(TimePoint now);
    // Number 0 when it is not on the list: the loser of a race, or one cut off earlier, that answers late.
    Racer close_attempt(int number, const Failure* failure, TimePoint now);
    void tell_place(const Racer& closed, const Failure* failure, TimePoint now);
    void settle_payments(const Racer& closed, TimePoint now);
    void cancel_all(TimePoint now);
    void give_slot_back(TimePoint now) noexcept;
    void conclude(Failure failure, TimePoint now);

    void decide_next(TimePoint now);
    [[nodiscard]] bool wants_another_place() const;
    [[nodiscard]] bool better_here(TimePoint now);
    // What a decision about the next attempt stands on.
    struct Question {
        const Rule& rule;
        const Tally& tally;
        Insisted insisted;
    };
    struct Candidates {
        int first, end;  // numbers of endpoints
    };
    Decision decide_for(const Question& asked, int endpoint, TimePoint now);
    Decision decide_and_pay(const Question& asked, TimePoint now);
    Decision choose_place(const Question& asked, const Decision& decided, Candidates among,
                          TimePoint now);
    int first_candidate(int from, int end, TimePoint now);
    [[nodiscard]] std::optional<Duration> asked_by(const Place& place, TimePoint now) const;
    void note_asked(const Place& place, Duration pause, TimePoint now);
    [[nodiscard]] bool been_at(const Place& place) const;
    [[nodiscard]] int copy_endpoint() const noexcept;
    [[nodiscard]] bool pay_for_copy(TimePoint now);
    void take_place(int endpoint, TimePoint now);
    [[nodiscard]] FailedAttempt as_budgets_see(const Failure& failure, TimePoint started,
                                               TimePoint now) const;
    Insisted insists(Effect unresolved);
    void ask_again(Duration at_least, TimePoint now);
    void settle_as(const Failure& failure, TimePoint now);
    void stay_unknown(TimePoint now);
    void give_up(Stop stop, TimePoint now);
    void refuse(Stop stop, Failure failure, TimePoint now);
    void finish(Stop stop, TimePoint now);
    void settle(Effect effect, TimePoint now);
    void end_paid() noexcept;
    void abandon() noexcept;

    void report(Event event, TimePoint now) const;
    [[nodiscard]] bool must_ask(TimePoint now) const;
    [[nodiscard]] bool one_attempt_only() const noexcept;
    Trouble& trouble();

    Memory& memory_;
    const Operation& operation_;
    const Setting setting_;
    Breaker* const breaker_;
    Limiter* const limiter_;
    const TimePoint started_;
    TimePoint deadline_;
    TimePoint wake_{};
    TimePoint hedge_at_ = TimePoint::max();
    Racer latest_{};
    Trouble* trouble_ = nullptr;
    int attempts_ = 0;
    Phase phase_ = Phase::fresh;
    const bool careful_;
};

// What the work sees of a step.
inline Attempt attempt_for(const Step& step, const Progress& progress, const Clock& clock,
                           AttemptLink* link) noexcept {
    return {.number = step.number,
            .deadline = Deadline{step.until},
            .call_deadline = progress.deadline(),
            .remedies = step.remedies,
            .endpoint = step.endpoint,
            .clock = &clock,
            .link = link};
}

}  // namespace v0
}  // namespace perdure
