// SPDX-License-Identifier: Apache-2.0
//
// How does a thread wait for sockets, for news from other threads, for a stop and for a deadline, all
// at once and without a second thread? By poll().
//
//     net::Poller poller{stop};
//     while (!machine.turn(clock.now(), wants)) poller.wait(wants, clock.now());
#pragma once

#include <optional>
#include <stop_token>

#include "perdure/net/waker.hpp"
#include "perdure/net/wants.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// wait() is for the thread that made it; wake() for all. The descriptor it is woken by belongs to the
// thread and is kept for its next poller.
class Poller final : public Waker {
public:
    explicit Poller(const std::stop_token& stop = {});
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;
    ~Poller() override;

    // Returns when something wanted is there, the time has come, or somebody woke us; also now and
    // then for nothing.
    void wait(const Wants& wants, TimePoint now);
    void wake() noexcept override;

private:
    struct OnStop {
        void operator()() const noexcept { poller->wake(); }
        Poller* poller;
    };
    int bell_;  // an eventfd; −1: none was left, so we look again every few milliseconds
    std::optional<std::stop_callback<OnStop>> on_stop_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
