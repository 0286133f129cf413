// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/workers.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

Workers::~Workers() {
    {
        const std::scoped_lock lock{mutex_};
        closing_ = true;
    }
    news_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::post(Job& job) {
    const std::scoped_lock lock{mutex_};
    job.next = nullptr;
    (last_ ? last_->next : first_) = &job;
    last_ = &job;
    // A thread that was woken for an earlier job is idle no more, even if it has not noticed.
    if (++queued_ > idle_ && static_cast<int>(threads_.size()) < most_)
        threads_.emplace_back([this] { work(); });
    else news_.notify_one();
}

void Workers::work() {
    std::unique_lock lock{mutex_};
    for (;;) {
        while (!first_ && !closing_) {
            ++idle_;
            news_.wait(lock);
            --idle_;
        }
        if (!first_) return;
        Job& job = *first_;
        first_ = job.next;
        if (!first_) last_ = nullptr;
        --queued_;
        lock.unlock();
        job.run(job);
        lock.lock();
    }
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
