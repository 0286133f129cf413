// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <utility>

#include "perdure/call/diagnostics.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

std::string host_and_port(const Url& url) {
    const bool bare_ipv6 = url.host.find(':') != std::string::npos && !url.host.starts_with('[');
    return (bare_ipv6 ? '[' + url.host + ']' : url.host) + ':' + std::to_string(url.port);
}

Failure not_ready_in_time() {
    return {.cause = Cause::timed_out,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "not-ready",
            .message = "what the request needs was not there in time"};
}

}  // namespace

Exchange::Exchange(Caller& caller, Conversation& talk, const Operation& operation,
                   const Attempt* parent, net::Waker& waker, TimePoint now)
    : caller_{caller},
      talk_{talk},
      question_{talk.question()},
      watched_{operation, caller.environment()},
      waker_{waker},
      progress_{caller.memory(),
                watched_.operation(),
                {.now = now,
                 .random = &caller.environment().random,
                 .observer = caller.environment().observer,
                 .parent = parent,
                 .driving = Driving::concurrent,
                 .resolver = question_ ? Resolver::given : Resolver::none}} {}

bool Exchange::turn(TimePoint now, net::Wants& wants) {
    for (;;) {
        wants.clear();
        // First what the transfers know: their own word about a timeout says where it happened.
        bool ended = turn_transfers(now, wants);
        if (!held_.empty() && now >= held_until_) ended |= launch_held(now);
        if (asking_ && !turn_question(now, wants)) return false;
        const Step step = progress_.next(now);
        switch (step.kind) {
            case StepKind::attempt: launch(step, now); break;
            case StepKind::wait:
                // What has ended may have wanted a descriptor before it closed it.
                if (ended) break;
                wants.until(std::min(step.until, held_until_));
                return false;
            case StepKind::cancel:
                drop(step.number);
                last_end_ = now;
                break;
            case StepKind::prepare:
                progress_.prepared(
                    watched_.operation().prepare(
                        step.remedies,
                        attempt_for(step, progress_, caller_.environment().clock, nullptr)),
                    now);
                break;
            case StepKind::ask: ask(step, now); break;
            case StepKind::finish: return true;
        }
    }
}

TransferTimes Exchange::times_of(const Step& step, TimePoint now) {
    Duration set_up = caller_.memory().plan().set_up;
    // Who has little time for an attempt has no more for its connection.
    if (const Duration own = watched_.operation().attempt_timeout; own > Duration::zero())
        set_up = std::min(set_up, own);
    return {.started = now,
            .set_up_until = set_up > Duration::zero() ? after(now, set_up) : TimePoint::max(),
            .timeout = progress_.attempt_timeout(),
            .end = step.until};
}

void Exchange::launch(const Step& step, TimePoint now) {
    const Attempt attempt = attempt_for(step, progress_, caller_.environment().clock, nullptr);
    auto wait = talk_.ready(attempt, now);
    if (!wait) {
        why_not_ready_ = std::make_unique<Failure>(wait.error());
        return refuse(step.number, std::move(wait.error()), now);
    }
    if (*wait > Duration::zero()) return hold(step, after(now, *wait));
    const TransferTimes times = times_of(step, now);
    Route& route = talk_.route(attempt);
    if (record()) {
        std::string place = talk_.place(attempt);
        record()->note_place(step.number,
                             place.empty() ? host_and_port(route.url) : std::move(place));
    }
    if (!first_) first_.emplace(route, &talk_, attempt, times, waker_);
    else others_.push_back(std::make_unique<Transfer>(route, &talk_, attempt, times, waker_));
}

void Exchange::hold(const Step& step, TimePoint until) {
    held_.push_back(step);
    held_until_ = std::min({held_until_, until, step.until});
}

// True when one of them has begun or was refused.
bool Exchange::launch_held(TimePoint now) {
    const std::vector<Step> held = std::exchange(held_, {});
    held_until_ = TimePoint::max();
    for (const Step& step : held) {
        if (now < step.until) launch(step, now);
        else refuse(step.number, why_not_ready_ ? *why_not_ready_ : not_ready_in_time(), now);
    }
    return held_.size() < held.size();
}

// It never left the house.
void Exchange::refuse(int number, Failure failure, TimePoint now) {
    last_end_ = now;
    progress_.not_sent(number, std::move(failure), now);
}

// True when one has ended.
bool Exchange::turn_transfers(TimePoint now, net::Wants& wants) {
    bool ended = first_ && turn_one(*first_, now, wants);
    if (ended) first_.reset();
    if (!others_.empty())
        ended |=
            std::erase_if(others_, [&](auto& other) { return turn_one(*other, now, wants); }) > 0;
    return ended;
}

// True when it has ended and was taken in.
bool Exchange::turn_one(Transfer& transfer, TimePoint now, net::Wants& wants) {
    const TimePoint before = transfer.connected_at();
    const bool ended = transfer.turn(now, wants);
    if (before != transfer.connected_at())
        progress_.connected(transfer.attempt().number, transfer.connected_at());
    if (ended) take_in(transfer, now);
    return ended;
}

void Exchange::take_in(Transfer& transfer, TimePoint now) {
    const Attempt& attempt = transfer.attempt();
    Result<Response>& result = transfer.outcome();
    if (progress_.finished()) return;  // another copy has won in this very turn
    if (result) {
        if (auto judged = talk_.judge(*result, attempt); !judged) result = judged.take_failure();
    }
    talk_.ended(attempt, result ? nullptr : &result.error(), now);
    last_end_ = now;
    // Before Progress hears of it, for a finished call's record is closed.
    if (record()) record()->note_phases(attempt.number, transfer.phases());
    if (!result)
        return progress_.failed(attempt.number, std::move(result.error()), Effect::none, now);
    progress_.succeeded(attempt.number, now);
    won_ = std::move(*result);
}

void Exchange::ask(const Step& step, TimePoint now) {
    const Attempt attempt = attempt_for(step, progress_, caller_.environment().clock, nullptr);
    asking_ = std::make_unique<Transfer>(question_->route(attempt), question_, attempt,
                                         times_of(step, now), waker_);
}

// True when it has been answered, one way or the other.
bool Exchange::turn_question(TimePoint now, net::Wants& wants) {
    if (!asking_->turn(now, wants)) return false;
    take_answer(now);
    asking_.reset();
    wants.clear();
    return true;
}

void Exchange::take_answer(TimePoint now) {
    Result<Response>& answer = asking_->outcome();
    const Attempt& attempt = asking_->attempt();
    if (answer) {
        if (auto judged = question_->judge(*answer, attempt); !judged)
            answer = judged.take_failure();
    }
    question_->ended(attempt, answer ? nullptr : &answer.error(), now);
    if (!answer) return progress_.resolver_failed(answer.error(), now);
    // Its answer may come late: what it says was so when it was asked, or later.
    const Landed<void> landed = talk_.landed(*answer, asking_->connected_at() - last_end_);
    progress_.landed(landed.verdict(), landed.ask_again_after(), now);
    if (landed.verdict() == Verdict::yes && progress_.finished()) won_ = std::move(*answer);
}

void Exchange::drop(int number) {
    const auto is_it = [&](const Transfer& transfer) {
        return transfer.attempt().number == number;
    };
    std::erase_if(held_, [&](const Step& step) { return step.number == number; });
    const auto note = [&](const Transfer& transfer) {
        if (record()) record()->note_phases(number, transfer.phases());
    };
    if (first_ && is_it(*first_)) {
        note(*first_);
        first_.reset();
    }
    std::erase_if(others_,
                  [&](const auto& other) { return is_it(*other) && (note(*other), true); });
}

void Exchange::cancel(TimePoint now) {
    // Each says for itself what can have happened: nothing, if nothing was sent.
    const auto call_off = [&](Transfer& transfer) {
        transfer.cancel(now);
        take_in(transfer, now);
    };
    if (first_) call_off(*first_);
    for (auto& other : others_) call_off(*other);
    for (const Step& step : held_)
        refuse(step.number,
               {.cause = Cause::cancelled, .effect = Effect::none, .origin = Origin::application},
               now);
    first_.reset();
    others_.clear();
    held_.clear();
    asking_.reset();
    progress_.cancelled(now);
}

Result<Response> Exchange::take() {
    close();
    if (won_) return *std::move(won_);
    return fail(progress_.take_failure());
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
