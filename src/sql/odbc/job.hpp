// SPDX-License-Identifier: Apache-2.0
//
// How do a caller with a deadline and a thread that may be stuck share one piece of work? Through an
// object that both own: whoever comes late finds the other gone and touches nothing of his.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "perdure/time/clock.hpp"
#include "sql/odbc/order.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

enum class Ended : std::uint8_t { done, past_deadline, stopped };

// Two threads: the caller, and the session's own.
class Job {
public:
    // The session's thread.

    // Waits while the caller is behind. false: no more rows are wanted.
    bool hand_over(Batch batch);
    void mark_sent();
    void finish(Reply reply);

    // The caller.

    // Waits for the end; rows that arrive meanwhile are poured into `sink`, whose failure is kept and
    // ends the statement early.
    Ended attend(const Bounds& bounds, const Clock& clock, RowSink* sink);
    // Nobody waits here any more.
    void leave();
    // Only after attend() said `done`.
    [[nodiscard]] Reply& reply() noexcept { return *reply_; }
    [[nodiscard]] std::optional<Failure>& refusal() noexcept { return refusal_; }
    // Whether the database may have been told to do something.
    [[nodiscard]] bool sent();

private:
    // Waits until there is something to do; false: the time is over.
    bool await(std::unique_lock<std::mutex>& lock, const Bounds& bounds, const Clock& clock);

    static constexpr std::size_t most_waiting = 2;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Batch> batches_;
    std::optional<Reply> reply_;
    std::optional<Failure> refusal_;  // the caller's only
    bool unwanted_ = false;
    bool sent_ = false;
};

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
