// SPDX-License-Identifier: Apache-2.0
//
// Does Progress keep its promises in this conversation? Drives it with choices and keeps books of
// its own beside it; the first broken promise is thrown as a std::logic_error.
//
//     try_calls(choices, 4);
#pragma once

#include "books.hpp"
#include "script.hpp"

#include "perdure/call/memory.hpp"
#include "perdure/call/progress.hpp"
#include "perdure/testing/fixed_random.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace perdure::inline v0::testing {

// One call. Owned by one thread.
class Trial {
public:
    Trial(Choices& choices, Memory& memory, TokenBooks& tokens, Random& random, TimePoint start)
        : choices_{choices},
          memory_{memory},
          tokens_{tokens},
          now_{start},
          start_{start},
          operation_{choose_operation()},
          resolver_{choices.among({Resolver::none, Resolver::given})},
          driving_{choices.among({Driving::one_at_a_time, Driving::concurrent})},
          parent_{.deadline = Deadline{start + choices.among<Duration>({10s, 50ms, 1h})},
                  .link = &link_},
          nested_{choices.one_in(5)},
          progress_{memory,
                    operation_,
                    {.now = start,
                     .random = &random,
                     .observer = choices.one_in(2) ? &events_ : nullptr,
                     .parent = nested_ ? &parent_ : nullptr,
                     .driving = driving_,
                     .resolver = resolver_}} {}

    TimePoint run() {
        if (choices_.one_in(8))
            now_ += choices_.among<Duration>({1ms, 90ms, 9500ms});  // started late
        for (int steps = 0; !over_; ++steps) {
            promise(steps < 2000, "every conversation ends");
            take(progress_.next(now_));
            tokens_.check(memory_);
        }
        check_end();
        return now_;
    }

private:
    Operation choose_operation() {
        Operation operation{.name = "trial",
                            .safety = choices_.among({Safety::once, Safety::once, Safety::guarded,
                                                      Safety::idempotent, Safety::read})};
        if (choices_.one_in(6))
            operation.deadline = Deadline{start_ + choices_.among<Duration>({0s, 500ms, -1s})};
        if (choices_.one_in(2)) operation.prepare = prepare_;
        if (choices_.one_in(5))
            operation.also_repeat = {.when = insist_, .attempts = choices_.among({0, 1, 3})};
        if (choices_.one_in(5)) operation.amend = insist_;
        operation.nested = choices_.among({Nested::one_attempt, Nested::own_retries});
        return operation;
    }

    bool once() const { return operation_.safety == Safety::once; }
    bool read() const { return operation_.safety == Safety::read; }
    TimePoint latest_end() const {
        const TimePoint deadline = progress_.deadline().at();
        if (resolver_ == Resolver::none) return deadline;
        return after(deadline, -std::min(memory_.plan().resolve_within,
                                         progress_.deadline().left(start_) / 3));
    }

    void take(const Step& step) {
        if (step.kind == StepKind::cancel) return call_off(step.number);
        if (late_) conclude_late();
        switch (step.kind) {
            case StepKind::attempt: return begin_attempt(step);
            case StepKind::wait: return wait(step);
            case StepKind::prepare: return prepare(step);
            case StepKind::ask: return ask();
            default: over_ = true;
        }
    }

    void begin_attempt(const Step& step) {
        ++attempts_;
        promise(step.number == attempts_ && progress_.attempts() == attempts_,
                "attempts are counted from 1");
        promise(now_ < after(latest_end(), -memory_.plan().shortest_attempt),
                "no attempt starts at or after the latest start");
        promise(step.until <= latest_end() && step.until > now_,
                "an attempt ends before the deadline");
        promise(!once() || unresolved_ == Effect::none, "an unresolved once is never repeated");
        const bool hedge = !under_way_.empty();
        if (hedge) {
            promise(driving_ == Driving::concurrent && memory_.plan().hedge &&
                        may_hedge(memory_.plan().hedge->what, operation_.safety),
                    "only what may be is hedged");
            tokens_.spent += milli_tokens(memory_.plan().hedge->cost);
        } else if (attempts_ > 1) {
            promise(!nested_ || operation_.nested == Nested::own_retries || rounds_ == 0,
                    "one retrying layer");
            promise(due_cost_.has_value(), "a retry follows a failure");
            tokens_.spent += *due_cost_;
            if (*due_cost_ > 0) last_cost_ = *due_cost_;
            ++retries_;
        }
        if (!hedge) ++rounds_;
        decided_.reset();
        under_way_[step.number] = step.until;
        promise(under_way_.size() <= 1u + (memory_.plan().hedge
                                               ? static_cast<unsigned>(memory_.plan().hedge->extra)
                                               : 0u),
                "at most one attempt and its copies are under way");
        if (driving_ == Driving::one_at_a_time) end_attempt(step.number);
    }

    void wait(const Step& step) {
        promise(step.until > now_, "a wait is for something");
        promise(step.until <= progress_.deadline().at(), "nothing sleeps past the deadline");
        if (under_way_.empty()) {
            if (decided_) check_backoff(step.until - now_);
            decided_.reset();
            if (choices_.one_in(12)) return cancel();
            now_ = step.until;
            if (choices_.one_in(10))  // late wakers
                now_ = after(now_, choices_.among<Duration>({1ns, 1ms, 2s}));
        } else if (outcomes_ > 60 || choices_.one_in(3) || step.until == TimePoint::max()) {
            now_ +=
                std::min<Duration>(step.until - now_, choices_.among<Duration>({0ns, 1ms, 40ms}));
            end_attempt(
                std::next(under_way_.begin(), static_cast<std::ptrdiff_t>(choices_.below(
                                                  static_cast<std::uint32_t>(under_way_.size()))))
                    ->first);
        } else if (choices_.one_in(20)) {
            cancel();
        } else {
            now_ = step.until;
        }
    }

    void end_attempt(int number) {
        if (driving_ == Driving::one_at_a_time)
            now_ += choices_.among<Duration>({0ns, 1ms, 70ms, 4s});
        if (++outcomes_ > 60 || choices_.one_in(4)) return succeed(number);
        Failure failure = choose_failure(choices_);
        const Effect nested =
            choices_.one_in(10) ? choices_.among({Effect::unknown, Effect::applied}) : Effect::none;
        const Effect effect = join(read() ? Effect::none : failure.effect, nested);
        under_way_.erase(number);
        if (!under_way_.empty()) failure.settles_earlier = false;
        const bool goes_on = !under_way_.empty() && !failure.final_in_race;
        unresolved_ = failure.settles_earlier ? effect : join(unresolved_, effect);
        if (!goes_on && !under_way_.empty() && !read())
            unresolved_ = join(unresolved_, Effect::unknown);
        if (!goes_on) conclude(failure);
        progress_.failed(number, failure, nested, now_);
        if (choices_.one_in(20)) progress_.failed(number, failure, nested, now_);  // said twice
        if (choices_.one_in(20)) progress_.succeeded(attempts_ + 5, now_);  // nobody's outcome
    }

    void succeed(int number) {
        succeeded_ = true;
        tokens_.earned += retries_ == 0 ? milli_tokens(memory_.plan().budget.deposit) : last_cost_;
        under_way_.erase(number);
        call_all_off();
        progress_.succeeded(number, now_);
        promise(progress_.finished(), "a success is the end");
    }

    // The race is over; what is left of it is cancelled, in any order.
    void conclude(const Failure& failure) {
        call_all_off();
        asked_ = false;
        failures_ = true;
        decided_ = Decided{failure, now_};
        const Memory::RuleAt at = memory_.rule_for(failure);
        const bool insisted = !is_repeatable(failure.cause);
        const Rule& rule = insisted ? memory_.plan().rule : *at.rule;
        due_cost_ =
            failure.advanced ? 0 : milli_tokens(rule.cost.value_or(default_cost(failure.cause)));
    }

    void call_all_off() {
        for (const auto& [number, until] : under_way_) called_off_.insert(number);
        under_way_.clear();
    }

    void call_off(int number) {
        if (called_off_.erase(number) == 1) return;
        promise(under_way_.contains(number) && under_way_[number] <= now_,
                "only the late and the losers are cancelled");
        under_way_.erase(number);
        ++outcomes_;
        if (!read()) unresolved_ = join(unresolved_, Effect::unknown);
        late_ = true;
    }

    void conclude_late() {
        late_ = false;
        if (!under_way_.empty()) return;
        conclude({.cause = Cause::timed_out});
        decided_.reset();
    }

    void check_backoff(Duration delay) {
        const Failure& failure = decided_->failure;
        if (now_ != decided_->at || !is_repeatable(failure.cause) || asked_) return;
        const LimiterKind limiter = memory_.plan().limiter.kind;  // these may ask for more
        if (limiter == LimiterKind::rate || limiter == LimiterKind::adaptive) return;
        check_delay(*memory_.rule_for(failure).rule, failure.retry_after.value_or(-1ns), delay);
    }

    void prepare(const Step& step) {
        promise(!step.remedies.empty(), "remedies are named");
        if (choices_.one_in(3) && ++outcomes_ <= 60) {
            Failure failure = choose_failure(choices_);
            failure.settles_earlier = failure.advanced = false;
            if (!nested_ || operation_.nested == Nested::own_retries) conclude(failure);
            decided_.reset();
            progress_.prepared(fail(failure), now_);
        } else {
            progress_.prepared({}, now_);
        }
    }

    void ask() {
        promise(resolver_ == Resolver::given && unresolved_ != Effect::none && !read(),
                "only the unknown is asked for");
        promise(now_ < progress_.deadline().at(), "nobody is asked after the deadline");
        asked_ = true;
        if (choices_.one_in(10)) return cancel();
        if (choices_.one_in(5)) return fail_question();
        const Verdict verdict =
            choices_.among({Verdict::no, Verdict::pending, Verdict::unknown, Verdict::yes});
        if (verdict == Verdict::yes) succeeded_ = true;
        if (verdict == Verdict::no && !(once() && unresolved_ == Effect::applied))
            unresolved_ = Effect::none;
        progress_.landed(verdict, choices_.among<Duration>({0s, 10ms, 1h, never, -1s}), now_);
    }

    void fail_question() {
        const Failure failure = choose_failure(choices_);
        if (failure.settles_earlier && failure.effect != Effect::unknown) {
            unresolved_ = failure.effect;
            conclude(failure);
            decided_.reset();
            asked_ = true;
        }
        progress_.resolver_failed(failure, now_);
    }

    void cancel() {
        if (!under_way_.empty() && !read()) unresolved_ = join(unresolved_, Effect::unknown);
        call_all_off();
        cancelled_ = true;
        progress_.cancelled(now_);
        promise(progress_.finished(), "cancelling is the end");
    }

    void check_end() {
        promise(called_off_.empty() && under_way_.empty(), "nothing is left under way");
        promise(progress_.next(now_).kind == StepKind::finish, "the end stays the end");
        if (events_.finished > 0)
            promise(events_.finished == 1 && events_.started == attempts_ &&
                        events_.ended == attempts_,
                    "everybody hears of each beginning and each end once");
        const Effect applied = once() ? Effect::applied : Effect::none;
        if (nested_)
            promise(link_.nested() == (succeeded_ ? applied : unresolved_),
                    "the outer attempt hears of it");
        if (succeeded_) return;
        const Failure ending = progress_.take_failure();
        promise(ending.stop != Stop::none && (ending.stop == Stop::cancelled || !cancelled_),
                "an end has its reason");
        promise(ending.attempts == attempts_, "an end says how many attempts there were");
        promise(ending.effect == unresolved_, "the final effect is the join over all attempts");
        promise(ending.elapsed == now_ - start_, "an end says how long it took");
        if (resolver_ == Resolver::given && unresolved_ != Effect::none && !read() && failures_ &&
            ending.stop != Stop::cancelled && now_ < progress_.deadline().at())
            promise(asked_, "the resolver is asked after the last attempt");
    }

    struct Decided {
        Failure failure;
        TimePoint at;
    };
    const std::function<Result<void>(RemedySet, const Attempt&)> prepare_ =
        [](RemedySet, const Attempt&) -> Result<void> { return {}; };
    const std::function<bool(const Failure&)> insist_ = [this](const Failure&) {
        return choices_.one_in(2);
    };

    Choices& choices_;
    Memory& memory_;
    TokenBooks& tokens_;
    TimePoint now_;
    const TimePoint start_;
    const Operation operation_;
    const Resolver resolver_;
    const Driving driving_;
    const std::stop_token nobody_{};
    AttemptLink link_{nobody_};
    const Attempt parent_;
    const bool nested_;
    EventBooks events_;
    std::map<int, TimePoint> under_way_;
    std::set<int> called_off_;
    Effect unresolved_ = Effect::none;
    std::optional<Decided> decided_;
    std::optional<int> due_cost_;
    int attempts_ = 0, retries_ = 0, rounds_ = 0, outcomes_ = 0, last_cost_ = 0;
    bool succeeded_ = false, cancelled_ = false, asked_ = false, failures_ = false;
    bool late_ = false, over_ = false;
    Progress progress_;
};

// A few calls one after the other on the same memory.
inline void try_calls(Choices& choices, SeededRandom& random, int calls) {
    Memory memory{choose_plan(choices)};
    promise(memory.refusal().empty(), "the plan is sound");
    TokenBooks tokens{.start = memory.budget().milli_left()};
    TimePoint now{Duration{1h}};
    for (int call = 0; call < calls; ++call) {
        Trial trial{choices, memory, tokens, random, now};
        now = after(trial.run(), choices.among<Duration>({0s, 1ms, 2s}));
        if (now > TimePoint{Duration{24h * 365}}) break;
    }
    if (memory.plan().budget.kind == BudgetKind::in_flight)
        promise(memory.budget().milli_left() == milli_tokens(memory.plan().budget.least),
                "no call and no retry is under way any more");
    if (memory.plan().limiter.kind != LimiterKind::concurrency) return;
    for (int i = 0; i < memory.plan().limiter.concurrent; ++i)
        promise(memory.limiter()->enter(now, TimePoint::max()).kind == Entry::Kind::admitted,
                "every permit was given back");
}

}  // namespace perdure::inline v0::testing
