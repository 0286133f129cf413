// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/job.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

bool Job::hand_over(Batch batch) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return unwanted_ || batches_.size() < most_waiting; });
    if (unwanted_) return false;
    batches_.push_back(std::move(batch));
    changed_.notify_all();
    return true;
}

void Job::mark_sent() {
    const std::lock_guard lock{mutex_};
    sent_ = true;
}

bool Job::sent() {
    const std::lock_guard lock{mutex_};
    return sent_;
}

void Job::finish(Reply reply) {
    const std::lock_guard lock{mutex_};
    reply_ = std::move(reply);
    changed_.notify_all();
}

void Job::leave() {
    const std::lock_guard lock{mutex_};
    unwanted_ = true;
    batches_.clear();
    changed_.notify_all();
}

bool Job::await(std::unique_lock<std::mutex>& lock, const Bounds& bounds, const Clock& clock) {
    const auto ready = [&] { return reply_ || !batches_.empty(); };
    constexpr Duration a_day = 24h;  // what the library adds to its clock must not overflow
    while (!ready()) {
        if (bounds.stop.stop_requested()) return false;
        const Duration left = bounds.deadline.left(clock.now());
        if (left <= Duration::zero()) return false;
        const bool all = left <= a_day;
        if (!changed_.wait_for(lock, bounds.stop, std::min(left, a_day), ready) && all)
            return false;
    }
    return true;
}

Ended Job::attend(const Bounds& bounds, const Clock& clock, RowSink* sink) {
    std::unique_lock lock{mutex_};
    while (await(lock, bounds, clock)) {
        if (batches_.empty()) return Ended::done;
        const Batch batch = std::move(batches_.front());
        batches_.pop_front();
        changed_.notify_all();
        if (unwanted_ || !sink) continue;
        lock.unlock();
        auto poured = pour(batch, *sink);
        lock.lock();
        if (poured) continue;
        refusal_ = std::move(poured.error());
        unwanted_ = true;
        changed_.notify_all();
    }
    return bounds.stop.stop_requested() ? Ended::stopped : Ended::past_deadline;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
