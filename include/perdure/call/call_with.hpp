// SPDX-License-Identifier: Apache-2.0
//
// Who turns Progress when no thread may wait? A block that owns the work and is woken by its
// attempts, its alarm and its canceller. For call/start.hpp; not for users.
//
//     begin → turn → (wait: alarm, attempt, cancel → turn) … → finish → the listener
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <stop_token>

#include "perdure/call/call.hpp"
#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

template <class Work>
using async_result = typename work_result<Work>::value_type;
template <class R>
using Landing = Result<Landed<typename R::value_type>>;

// The driver: plain code, not a coroutine, because GCC 12 keeps every local of one in memory.
template <class R, class Work, class Resolve>
class CallWith final : public CallFor<R> {
public:
    CallWith(Caller& caller, const Attempt* parent, Executor& where, const Operation& what,
             Work&& work, Resolve&& resolve)
        : CallFor<R>{where, what},
          caller_{caller},
          parent_{parent},
          work_{std::move(work)},
          resolve_{std::move(resolve)} {}

    bool begin(Listener listener) override {
        listener_ = listener;
        if (!this->executor.here()) {
            this->turn_later();
            return false;
        }
        beginning_ = true;
        turn();
        beginning_ = false;
        return ended_;
    }
    void abandon() noexcept override {
        ended_ = true;
        on_stop_.reset();
        this->stop_waiting();
        under_way_.dismiss_all();
        questions_.dismiss_all();
        progress_.reset();
    }

private:
    static constexpr bool resolves = !std::is_same_v<Resolve, NoResolver>;
    using Question = AttemptInFlight<Landing<R>>;
    struct Cancel {
        void operator()() const noexcept { call->request_cancel(); }
        CallWith* call;
    };

    void turn() override {
        if (ended_) return;
        this->turning_ = true;
        bool over = false;
        try {
            over = finishing_ || advance();
        } catch (...) {  // the user's: passed on untouched, never repeated
            this->thrown = std::current_exception();
            over = true;
        }
        this->turning_ = false;
        if (over) finish();
    }

    // True at the end, false when there is nothing to do but wait.
    bool advance() {
        const Clock& clock = this->executor.clock();
        TimePoint now = clock.now();
        if (!progress_) open(now);
        if (this->cancel_requested_) progress_->cancelled(now);
        for (;;) {
            take_in(now);
            if (question_ && !take_in_answer(now))
                return this->wait_until(progress_->deadline().at()), false;
            const Step step = progress_->next(now);
            switch (step.kind) {
                case StepKind::attempt:
                    launch(step);
                    now = clock.now();
                    break;
                case StepKind::wait: return this->wait_until(step.until), false;
                case StepKind::cancel: under_way_.dismiss(step.number); break;
                case StepKind::prepare:
                    progress_->prepared(this->operation.prepare(step.remedies, attempt_of(step)),
                                        now);
                    now = clock.now();
                    break;
                case StepKind::ask:
                    ask(step);
                    now = clock.now();
                    break;
                case StepKind::finish: return true;
            }
        }
    }

    void open(TimePoint now) {
        const Environment& environment = caller_.environment();
        watched_.begin(environment);
        progress_.emplace(caller_.memory(), watched_.operation(),
                          Setting{.now = now,
                                  .random = &environment.random,
                                  .observer = environment.observer,
                                  .parent = parent_,
                                  .driving = Driving::concurrent,
                                  .resolver = resolves ? Resolver::given : Resolver::none});
        if (!this->operation.stop.stop_possible()) return;
        this->cancel_requested_ = this->operation.stop.stop_requested();
        if (!this->cancel_requested_) on_stop_.emplace(this->operation.stop, Cancel{this});
    }

    Attempt attempt_of(const Step& step) const noexcept {
        return attempt_for(step, *progress_, this->executor.clock(), nullptr);
    }

    void launch(const Step& step) {
        using Made = AttemptInFlight<R>;
        Made& attempt = step.number == 1
                            ? *::new (static_cast<void*>(&first_))
                                  Made{*this, attempt_of(step), Made::Home::inside_call}
                            : *new Made{*this, attempt_of(step), Made::Home::own_block};
        under_way_.add(attempt);
        attempt.launch(work_);
    }

    // What has ended. The winner's result stays; a late one is dropped.
    void take_in(TimePoint now) {
        while (AttemptInFlight<R>* ended = under_way_.take_ended()) {
            struct Dismissed {
                ~Dismissed() { attempt->dismiss(); }
                AttemptInFlight<R>* attempt;
            } const afterwards{ended};
            R& result = ended->result();
            if (!result) {
                progress_->failed(ended->number(), std::move(result.error()), ended->nested(), now);
            } else if (!progress_->finished()) {
                progress_->succeeded(ended->number(), now);
                this->winner.emplace(std::move(result));
            }
        }
    }

    void ask(const Step& step) {
        if constexpr (resolves) {
            question_ = new Question{*this, attempt_of(step), Question::Home::own_block};
            questions_.add(*question_);
            question_->launch(resolve_);
        }
    }

    // One question: answered, or cut off at the deadline. False while it is open.
    bool take_in_answer(TimePoint now) {
        Question& question = *question_;
        if (!question.ended() && now < progress_->deadline().at() && !this->cancel_requested_)
            return false;
        question_ = nullptr;
        if (!question.ended()) {
            progress_->resolver_failed({.cause = Cause::timed_out, .origin = Origin::application},
                                       now);
        } else if (Landing<R>& answer = question.result(); !answer) {
            progress_->resolver_failed(answer.error(), now);
        } else {
            progress_->landed(answer->verdict(), answer->ask_again_after(), now);
            if (answer->verdict() == Verdict::yes && progress_->finished()) keep(*answer);
        }
        questions_.dismiss_all();
        return true;
    }
    void keep(Landed<typename R::value_type>& landed) {
        if constexpr (std::is_void_v<typename R::value_type>) this->winner.emplace();
        else this->winner.emplace(std::move(landed).value());
    }

    void finish() {
        on_stop_.reset();
        this->stop_waiting();
        under_way_.dismiss_all();
        questions_.dismiss_all();
        // Those told to stop may still refer to what our caller owns: they get one turn to end.
        if (this->unwanted > 0 && !std::exchange(finishing_, true)) return this->turn_later();
        if (!this->winner && !this->thrown) this->winner.emplace(fail(progress_->take_failure()));
        progress_.reset();
        if (!this->thrown) watched_.ended();
        ended_ = true;
        const Listener listener = listener_;
        if (!beginning_) listener.ended(listener.who);  // nothing after this: it may end our life
    }

    Caller& caller_;
    const Attempt* const parent_;
    Work work_;
    [[no_unique_address]] Resolve resolve_;
    Listener listener_{};
    Watched watched_{this->operation};
    std::optional<Progress> progress_;
    std::optional<std::stop_callback<Cancel>> on_stop_;
    UnderWay<R> under_way_;
    UnderWay<Landing<R>> questions_;
    Question* question_ = nullptr;
    bool beginning_ = false;
    bool finishing_ = false;
    bool ended_ = false;
    alignas(AttemptInFlight<R>) std::byte first_[sizeof(AttemptInFlight<R>)];
};

}  // namespace detail

}  // namespace v0
}  // namespace perdure
