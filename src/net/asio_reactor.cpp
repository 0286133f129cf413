// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/asio_reactor.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "edge_watch.hpp"
#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

namespace {

constinit thread_local const void* running_here = nullptr;

}  // namespace

struct AsioReactor::Inside final : EdgeWatches {
    Inside(AsioReactor& reactor, asio::io_context* yours)
        : EdgeWatches{reactor},
          own{yours ? std::nullopt : std::optional<asio::io_context>{std::in_place, 1}},
          context{yours ? *yours : *own},
          timer{context},
          wheel{system_clock().now()},
          sockets{context} {
        asio::error_code refused;
        if (epoll() >= 0) (void)sockets.assign(epoll(), refused);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() override {
        if (sockets.is_open()) (void)sockets.release();  // the descriptor is the watches'
        run_jobs();                                      // some are left to be buried
    }

    void first_wait() override {
        if (std::exchange(listening, true) || !sockets.is_open()) return;
        sockets.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this, here = std::weak_ptr{alive}](const asio::error_code& error) {
                               if (error || here.expired()) return;
                               listening = false;
                               look();
                               if (waits() > 0) first_wait();
                           });
    }
    // Somebody else's run() would not return while we listen for nobody.
    void last_wait() noexcept override {
        if (own || !std::exchange(listening, false)) return;
        asio::error_code ignored;
        (void)sockets.cancel(ignored);
    }

    void run_jobs() {
        Job* job = nullptr;
        {
            const std::lock_guard held{mutex};
            last = nullptr;
            job = std::exchange(first, nullptr);
        }
        while (job) {
            Job& now = *job;
            job = job->next;  // the job may be gone once it has run
            now.run(now);
        }
    }
    // A timer that is set for earlier stays: it rings in vain once instead of moving each time.
    void set_timer(TimePoint when) {
        if (when >= set_for) return;
        set_for = when;
        (void)timer.expires_at(
            std::chrono::time_point_cast<std::chrono::steady_clock::duration>(when));
        timer.async_wait([this, here = std::weak_ptr{alive}](const asio::error_code& error) {
            if (error || here.expired()) return;
            set_for = TimePoint::max();
            wheel.advance(system_clock().now(), [](Timer& due) {
                auto& alarm = static_cast<Alarm&>(due);
                alarm.ring(alarm);
            });
            if (const TimePoint next = wheel.next_due(); next != TimePoint::max()) set_timer(next);
        });
    }

    // What lies in somebody else's context outlives us; it looks here first.
    std::shared_ptr<char> alive = std::make_shared<char>();
    std::optional<asio::io_context> own;
    asio::io_context& context;
    asio::steady_timer timer;
    Wheel wheel;  // this and set_for: the executor's thread only
    TimePoint set_for = TimePoint::max();
    asio::posix::stream_descriptor sockets;
    bool listening = false;
    std::mutex mutex;
    Job* first = nullptr;
    Job* last = nullptr;
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> staying;
    std::jthread thread;
};

AsioReactor::AsioReactor() : inside_{std::make_unique<Inside>(*this, nullptr)} {
    inside_->staying.emplace(inside_->context.get_executor());
    inside_->thread = start_thread_or_throw([inside = inside_.get()] {
        running_here = inside;
        inside->context.run();
    });
}

AsioReactor::AsioReactor(asio::io_context& context)
    : inside_{std::make_unique<Inside>(*this, &context)} {}

AsioReactor::~AsioReactor() {
    if (inside_->own) inside_->context.stop();
    if (inside_->thread.joinable()) inside_->thread.join();
}

Clock& AsioReactor::clock() noexcept { return system_clock(); }

bool AsioReactor::here() const noexcept {
    return inside_->own ? running_here == inside_.get()
                        : inside_->context.get_executor().running_in_this_thread();
}

void AsioReactor::post(Job& job) noexcept {
    job.next = nullptr;
    bool first = false;
    {
        const std::lock_guard held{inside_->mutex};
        first = !inside_->first;
        (inside_->last ? inside_->last->next : inside_->first) = &job;
        inside_->last = &job;
    }
    if (!first) return;
    asio::post(inside_->context, [inside = inside_.get(), here = std::weak_ptr{inside_->alive}] {
        if (!here.expired()) inside->run_jobs();
    });
}

void AsioReactor::arm(Alarm& alarm, TimePoint when) noexcept {
    alarm.when = when;
    inside_->wheel.insert(alarm, when);
    inside_->set_timer(after(when, Wheel::tick));  // the wheel fires at the end of the tick
}

void AsioReactor::disarm(Alarm& alarm) noexcept {
    inside_->wheel.cancel(alarm);
    // Somebody else's run() would not return before a timer that rings for nobody.
    if (inside_->own || inside_->set_for == TimePoint::max() ||
        inside_->wheel.next_due() != TimePoint::max())
        return;
    inside_->set_for = TimePoint::max();
    (void)inside_->timer.cancel();
}

std::unique_ptr<Watch> AsioReactor::watch(int fd) { return inside_->watch(fd); }

asio::io_context& AsioReactor::context() noexcept { return inside_->context; }

Reactor& default_reactor() {
    static auto* const reactor = new AsioReactor;
    return *reactor;
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
