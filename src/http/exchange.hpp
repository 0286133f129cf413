// SPDX-License-Identifier: Apache-2.0
//
// How is one logical call turned over HTTP? Progress decides, transfers try; several at once when a
// copy is sent. Drivers, blocking or not, only wait.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "perdure/call/caller.hpp"
#include "transfer.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Used by one thread at a time.
class Exchange {
public:
    // What it is given must outlive it.
    Exchange(Caller& caller, Conversation& talk, const Operation& operation, const Attempt* parent,
             net::Waker& waker, TimePoint now);

    // Goes on until the end (true) or says what it waits for.
    bool turn(TimePoint now, net::Wants& wants);
    // The caller wants out; the next turn is the last.
    void cancel(TimePoint now);
    [[nodiscard]] Result<Response> take();
    // Once, after its end, by those who do not take the result: hands the record to who wants calls.
    void close() noexcept { watched_.ended(); }
    // Null while nobody wants one.
    [[nodiscard]] Diagnostics* record() const noexcept { return watched_.record(); }
    // The answer, if the call has ended well.
    [[nodiscard]] const std::optional<Response>& answer() const noexcept { return won_; }

    [[nodiscard]] Deadline deadline() const noexcept { return progress_.deadline(); }
    // Every connection that is waited for, with its descriptor.
    template <class Visit>
    void each_connection(Visit&& visit) {
        const auto look = [&](Transfer& transfer) {
            if (Connection* const connection = transfer.connection()) visit(*connection);
        };
        if (first_) look(*first_);
        for (auto& other : others_) look(*other);
        if (asking_) look(*asking_);
    }

private:
    [[nodiscard]] TransferTimes times_of(const Step& step, TimePoint now);
    void launch(const Step& step, TimePoint now);
    void hold(const Step& step, TimePoint until);
    bool launch_held(TimePoint now);
    void refuse(int number, Failure failure, TimePoint now);
    bool turn_transfers(TimePoint now, net::Wants& wants);
    bool turn_one(Transfer& transfer, TimePoint now, net::Wants& wants);
    void take_in(Transfer& transfer, TimePoint now);
    void drop(int number);
    void ask(const Step& step, TimePoint now);
    bool turn_question(TimePoint now, net::Wants& wants);
    void take_answer(TimePoint now);

    Caller& caller_;
    Conversation& talk_;
    Conversation* const question_;  // null: nobody can be asked whether it landed
    Watched watched_;
    net::Waker& waker_;
    Progress progress_;
    std::optional<Transfer> first_;  // most calls need no other
    std::vector<std::unique_ptr<Transfer>> others_;
    std::vector<Step> held_;  // attempts that cannot begin yet; the conversation says when
    std::unique_ptr<Failure>
        why_not_ready_{};  // why the latest attempt that could not begin could not
    TimePoint held_until_ = TimePoint::max();
    std::unique_ptr<Transfer> asking_;  // rarely
    TimePoint last_end_{};              // of an attempt
    std::optional<Response> won_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
