// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/workers.hpp"

#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

Workers::~Workers() {
    {
        const std::scoped_lock lock{mutex_};
        closing_ = true;
    }
    news_.notify_all();
    for (std::jthread& thread : threads_) thread.join();
}

// Under the lock.
bool Workers::add_thread() {
    // Not afterwards: without memory a thread that is joined here would wait for our lock.
    threads_.reserve(static_cast<std::size_t>(most_));
    auto started = start_thread([this] { work(); });
    if (!started) return false;
    threads_.push_back(*std::move(started));
    return true;
}

void Workers::post(Job& job) {
    std::unique_lock lock{mutex_};
    // A thread that was woken for an earlier job is idle no more, even if it has not noticed.
    const bool more = queued_ + 1 > idle_ && static_cast<int>(threads_.size()) < most_;
    const bool added = more && add_thread();
    if (more && !added && threads_.empty()) {
        // The system has no thread for us: a busy executor is better than a call that never ends.
        lock.unlock();
        return job.run(job);
    }
    job.next = nullptr;
    (last_ ? last_->next : first_) = &job;
    last_ = &job;
    ++queued_;
    if (!added) news_.notify_one();
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
