// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/worker.hpp"

#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// Signals are for the application's threads.
void block_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// The threads on their way out. They hold it too: one that never comes back must not find it
// destroyed. A thread that has come back is joined by the next one who passes, or by the end of the
// process: only then is everything of its own freed.
class Leaving {
public:
    template <class Work>
    static Result<void> start(const std::shared_ptr<Leaving>& leaving, Work work) {
        leaving->join();
        auto self = std::make_shared<std::jthread>();
        const std::lock_guard lock{leaving->mutex_};  // it cannot end before `self` is told
        PERDURE_TRY_VALUE(*self, start_thread([leaving, self, work = std::move(work)] {
            block_signals();
            work();
            leaving->ended(*self);
        }));
        return {};
    }

    void expect(int more) {
        const std::lock_guard lock{mutex_};
        expected_ += more;
    }
    void join() {
        std::vector<std::jthread> ended;
        {
            const std::lock_guard lock{mutex_};
            ended.swap(ended_);
        }
        for (std::jthread& one : ended) one.join();
    }
    void await(std::chrono::milliseconds most) {
        {
            std::unique_lock lock{mutex_};
            changed_.wait_for(lock, most, [&] { return expected_ == 0; });
        }
        join();
    }

private:
    void ended(std::jthread& self) {
        const std::lock_guard lock{mutex_};  // before `self` is looked at: see start()
        ended_.push_back(std::move(self));
        --expected_;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::jthread> ended_;
    int expected_ = 0;
};

// A thread that closes its link while the process ends would meet a driver manager that is being
// taken down. So the end of the process waits a little, though not for a driver that hangs.
class Door {
public:
    [[nodiscard]] const std::shared_ptr<Leaving>& leaving() const { return leaving_; }
    Door() = default;
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door() { leaving_->await(std::chrono::milliseconds{200}); }

private:
    std::shared_ptr<Leaving> leaving_ = std::make_shared<Leaving>();
};

std::shared_ptr<Leaving> leaving() {
    static const Door door;
    return door.leaving();
}

}  // namespace

Result<std::shared_ptr<Worker>> Worker::start(std::size_t prepared_statements) {
    std::shared_ptr<Worker> worker{new Worker{prepared_statements}};
    PERDURE_TRY(Leaving::start(leaving(), [worker] { worker->live(); }));
    return worker;
}

void Worker::hand(Task task) {
    const std::lock_guard lock{mutex_};
    task_ = std::move(task);
    changed_.notify_all();
}

void Worker::dismiss() {
    const std::lock_guard lock{mutex_};
    if (!dismissed_) leaving()->expect(1);
    dismissed_ = true;
    changed_.notify_all();
}

Worker::Task Worker::next() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return task_ || dismissed_; });
    return std::exchange(task_, nullptr);
}

void Worker::live() {
    Link link{prepared_statements_, running_};
    while (Task task = next()) task(link);
}

void Worker::cancel(const std::shared_ptr<Worker>& worker) noexcept {
    leaving()->expect(1);
    if (!Leaving::start(leaving(), [worker] { worker->running_.cancel(); })) leaving()->expect(-1);
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
