// SPDX-License-Identifier: Apache-2.0
//
// How do I send a batch without holding threads? The same machine, turned by a loop.
//
//     const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> Task<Result<ChunkAnswer<>>> …
//     auto batch = start_batch(orders, operation, {.chunk_items = 25}, puts.size(), send);
//     const BatchReport<> report = co_await batch;      // two statements: see task.hpp
//
// As run_batch (batch.hpp), but a send that overruns its time is cut off, see call/start.hpp: capture
// by value what it needs, or end promptly when stopped. What the options and the operation refer to
// outlives the batch.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/call/batch.hpp"
#include "perdure/call/start.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

// Keeps the chunk for as long as the user's coroutine may look at it. Takes a reference without the
// type of the function: GCC warns of frames that hold a type without linkage.
template <class X>
Task<X> send_with_chunk(FunctionRef<Task<X>(const Chunk&, const Attempt&)> send, Chunk chunk,
                        const Attempt& attempt) {
    auto sending = send(std::as_const(chunk), attempt);
    co_return co_await sending;
}

// The driver: as CallWith, with an attempt for each lane.
template <class T, class Send>
class BatchCall final : public CallFor<BatchReport<T>> {
public:
    BatchCall(Caller& caller, const Attempt* parent, Executor& where, const Operation& what,
              const BatchOptions& options, std::size_t items, Send&& send)
        : CallFor<BatchReport<T>>{where, what},
          caller_{caller},
          parent_{parent},
          options_{options},
          items_{items},
          send_{std::move(send)} {
        if constexpr (!std::is_void_v<T>) report_.values.resize(items);
    }

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
        dismiss_all();
        batch_.reset();
    }

private:
    using Answer = Result<ChunkAnswer<T>>;
    using Sending = AttemptInFlight<Answer>;
    struct Cancel {
        void operator()() const noexcept { call->request_cancel(); }
        BatchCall* call;
    };
    struct UnderWayIn {  // a lane
        Sending* sending = nullptr;
        Chunk chunk{};
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
        if (!batch_) open(now);
        if (this->cancel_requested_) batch_->cancelled(now);
        for (;; now = clock.now()) {
            take_in(now);
            const BatchStep next = batch_->next(now);
            switch (next.step.kind) {
                case StepKind::attempt: launch(next); break;
                case StepKind::wait: return this->wait_until(next.step.until), false;
                case StepKind::cancel: dismiss(lanes_[next.lane]); break;
                case StepKind::prepare:
                    batch_->prepared(next.lane,
                                     this->operation.prepare(next.step.remedies,
                                                             batch_->attempt(next, clock, nullptr)),
                                     clock.now());
                    break;
                default: return true;
            }
        }
    }

    void open(TimePoint now) {
        const Environment& environment = caller_.environment();
        batch_.emplace(caller_.memory(), this->operation, options_, items_,
                       BatchSetting{.now = now,
                                    .random = &environment.random,
                                    .observer = environment.observer,
                                    .parent = parent_,
                                    .overrun = Overrun::cut_off});
        if (!this->operation.stop.stop_possible()) return;
        this->cancel_requested_ = this->operation.stop.stop_requested();
        if (!this->cancel_requested_) on_stop_.emplace(this->operation.stop, Cancel{this});
    }

    void launch(const BatchStep& step) {
        if (lanes_.size() <= step.lane) lanes_.resize(step.lane + 1);
        UnderWayIn& lane = lanes_[step.lane];
        lane.chunk = batch_->chunk(step.lane);
        lane.sending = new Sending{*this, batch_->attempt(step, this->executor.clock(), nullptr),
                                   Sending::Home::own_block};
        auto work = [this, &lane](const Attempt& attempt) {
            return send_with_chunk<Answer>(send_, lane.chunk, attempt);
        };
        lane.sending->launch(work);
    }

    void take_in(TimePoint now) {
        for (std::size_t at = 0; at < lanes_.size(); ++at) {
            UnderWayIn& lane = lanes_[at];
            if (!lane.sending || !lane.sending->ended()) continue;
            Answer& answer = lane.sending->result();
            if (answer) {
                keep_values<T>(report_, lane.chunk, *answer);
                batch_->answered(at, answer->take_marks(), now);
            } else {
                batch_->failed(at, std::move(answer.error()), lane.sending->nested(), now);
            }
            dismiss(lane);
        }
    }

    static void dismiss(UnderWayIn& lane) {
        if (Sending* const sending = std::exchange(lane.sending, nullptr)) sending->dismiss();
    }
    void dismiss_all() {
        for (UnderWayIn& lane : lanes_) dismiss(lane);
    }

    void finish() {
        on_stop_.reset();
        this->stop_waiting();
        dismiss_all();
        // Those told to stop may still refer to what our caller owns: they get one turn to end.
        if (this->unwanted > 0 && !std::exchange(finishing_, true)) return this->turn_later();
        if (!this->thrown) {
            static_cast<BatchTotals&>(report_) = batch_->take_totals(this->executor.clock().now());
            this->winner.emplace(std::move(report_));
        }
        batch_.reset();
        ended_ = true;
        const Listener listener = listener_;
        if (!beginning_) listener.ended(listener.who);  // nothing after this: it may end our life
    }

    Caller& caller_;
    const Attempt* const parent_;
    const BatchOptions options_;
    const std::size_t items_;
    Send send_;
    BatchReport<T> report_{};
    Listener listener_{};
    std::optional<BatchProgress> batch_;
    std::optional<std::stop_callback<Cancel>> on_stop_;
    std::vector<UnderWayIn> lanes_;
    bool beginning_ = false;
    bool finishing_ = false;
    bool ended_ = false;
};

template <class Send>
using started_send_result = typename send_result<Send>::value_type;

template <class Send>
auto start_batch(Caller& caller, const Attempt* parent, const Operation& operation,
                 const BatchOptions& options, std::size_t items, Send send) {
    using T = typename started_send_result<Send>::value_type::value_type;
    Executor& executor =
        caller.environment().executor ? *caller.environment().executor : default_executor();
    return Call<BatchReport<T>>{new BatchCall<T, Send>{caller, parent, executor, operation, options,
                                                       items, std::move(send)}};
}

}  // namespace detail

template <class Send>
concept StartsChunks = detail::is_chunk_answer<detail::started_send_result<Send>>;

// The call gives BatchReport<T> when it is awaited.
template <StartsChunks Send>
auto start_batch(Caller& caller, const Operation& operation, const BatchOptions& options,
                 std::size_t items, Send send) {
    return detail::start_batch(caller, nullptr, operation, options, items, std::move(send));
}
// Inside an attempt of another call, which must outlive this one: each chunk is sent once.
template <StartsChunks Send>
auto start_batch(Caller& caller, const Attempt& parent, const Operation& operation,
                 const BatchOptions& options, std::size_t items, Send send) {
    return detail::start_batch(caller, &parent, operation, options, items, std::move(send));
}

}  // namespace v0
}  // namespace perdure
