// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/worker.hpp"

#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// How many threads are on their way out. They hold it too: one that never comes back must not find
// it destroyed.
struct Leaving {
    std::mutex mutex;
    std::condition_variable changed;
    int count = 0;

    void add(int more) {
        const std::lock_guard lock{mutex};
        count += more;
        changed.notify_all();
    }
};

// A thread that closes its link while the process ends would meet a driver manager that is being
// taken down. So the end of the process waits a little, though not for a driver that hangs.
class Door {
public:
    [[nodiscard]] std::shared_ptr<Leaving> leaving() const { return leaving_; }
    Door() = default;
    Door(const Door&) = delete;
    Door& operator=(const Door&) = delete;
    ~Door() {
        std::unique_lock lock{leaving_->mutex};
        leaving_->changed.wait_for(lock, std::chrono::milliseconds{200},
                                   [&] { return leaving_->count == 0; });
    }

private:
    std::shared_ptr<Leaving> leaving_ = std::make_shared<Leaving>();
};

std::shared_ptr<Leaving> leaving() {
    static const Door door;
    return door.leaving();
}

// Signals are for the application's threads.
void block_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Result<std::shared_ptr<Worker>> Worker::start(std::size_t prepared_statements) {
    std::shared_ptr<Worker> worker{new Worker{prepared_statements}};
    try {
        std::thread{[worker, counted = leaving()] {
            block_signals();
            worker->live();
            counted->add(-1);
        }}.detach();
    } catch (const std::system_error&) {
        return fail({.cause = Cause::exhausted,
                     .origin = Origin::application,
                     .code = "no-thread",
                     .message = "no thread could be started for a session"});
    }
    return worker;
}

void Worker::hand(Task task) {
    const std::lock_guard lock{mutex_};
    task_ = std::move(task);
    changed_.notify_all();
}

void Worker::dismiss() {
    const std::lock_guard lock{mutex_};
    if (!dismissed_) leaving()->add(1);
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
    try {
        leaving()->add(1);
        std::thread{[worker, counted = leaving()] {
            block_signals();
            worker->running_.cancel();
            counted->add(-1);
        }}.detach();
    } catch (const std::system_error&) {
        leaving()->add(-1);
    }
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
