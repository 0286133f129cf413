// SPDX-License-Identifier: Apache-2.0
//
// How is a socket watched without a system call for each wait? It is told to an epoll descriptor once,
// edge by edge, and that descriptor is what Asio waits for. Asio's own wait makes one call each time,
// which a request of six microseconds notices.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "perdure/net/reactor.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

class Watched;

// All watches of one executor. watch() and look() on its thread; watches may die anywhere, while
// nobody waits.
class EdgeWatches {
public:
    explicit EdgeWatches(Executor& executor) noexcept;
    EdgeWatches(const EdgeWatches&) = delete;
    EdgeWatches& operator=(const EdgeWatches&) = delete;
    virtual ~EdgeWatches();

    [[nodiscard]] int epoll() const noexcept { return epoll_; }  // −1: the system refused
    [[nodiscard]] std::unique_ptr<Watch> watch(int fd);
    // Runs the jobs of everything that has happened; never waits.
    void look() const;
    // How many jobs wait.
    [[nodiscard]] int waits() const noexcept { return waits_; }

protected:
    // There is something to wait for, and there is nothing any more.
    virtual void first_wait() = 0;
    virtual void last_wait() noexcept = 0;

private:
    friend class Watched;
    static constexpr int most_at_once = 128;
    void began() {
        if (++waits_ == 1) first_wait();
    }
    void ended() noexcept {
        if (--waits_ == 0) last_wait();
    }
    Executor& executor_;
    const int epoll_;
    int waits_ = 0;
};

// What the kernel's events point to. Buried by the executor's thread, because its present batch of
// events may still name it. Everything but `gone` belongs to that thread.
class Watched final : public Job {
public:
    explicit Watched(EdgeWatches& all) noexcept
        : Job{[](Job& job) { delete &static_cast<Watched&>(job); }}, all_{all}, again_{this} {}

    void happened(unsigned events) {
        seen_ |= events;
        if (!then_ || (seen_ & wanted_) == 0 || gone_.load(std::memory_order_acquire)) return;
        seen_ &= ~wanted_;
        Job& job = *std::exchange(then_, nullptr);
        all_.ended();
        job.run(job);
    }
    void wait(unsigned events, Job& then) {
        if (!std::exchange(then_, &then)) all_.began();
        wanted_ = events;
        // Never inside wait(): whoever calls it is not ready to be called.
        if ((seen_ & wanted_) != 0 && !std::exchange(again_.posted, true))
            all_.executor_.post(again_);
    }
    void cancel() noexcept {
        if (std::exchange(then_, nullptr)) all_.ended();
    }
    // From any thread. The last word: it is not touched afterwards.
    void bury() noexcept {
        gone_.store(true, std::memory_order_release);
        all_.executor_.post(*this);
    }

private:
    struct Again : Job {
        explicit Again(Watched* whose) noexcept
            : Job{[](Job& job) {
                  auto& again = static_cast<Again&>(job);
                  again.posted = false;
                  again.watched->happened(0);
              }},
              watched{whose} {}
        Watched* watched;
        bool posted = false;
    };

    EdgeWatches& all_;
    Job* then_ = nullptr;
    unsigned wanted_ = 0;
    unsigned seen_ = 0;  // and not yet waited for
    std::atomic<bool> gone_{false};
    Again again_;
};

class EdgeWatch final : public Watch {
public:
    EdgeWatch(int epoll, int fd, Watched* watched) noexcept
        : epoll_{epoll}, fd_{fd}, watched_{watched} {}
    ~EdgeWatch() override {
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd_, nullptr);
        watched_->bury();
    }
    void wait(Ready for_what, Job& then) override {
        unsigned events = EPOLLERR | EPOLLHUP;
        if (for_what != Ready::write) events |= EPOLLIN | EPOLLRDHUP;
        if (for_what != Ready::read) events |= EPOLLOUT;
        watched_->wait(events, then);
    }
    void cancel() noexcept override { watched_->cancel(); }

private:
    const int epoll_;
    const int fd_;
    Watched* const watched_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
