// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/poller.hpp"

#include <thread>

#include "net/loopback.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::net {
namespace {

TimePoint now() { return system_clock().now(); }

TEST(Poller, wakes_for_what_was_wanted_of_a_socket) {
    const Listener listener{loopback_v4(1)};
    Socket near = connected_to(listener);
    Socket far = listener.accept();
    Poller poller;
    Wants wants;
    wants.add(near.fd(), Ready::both);
    poller.wait(wants, now());  // it can be written at once

    ASSERT_EQ(far.write("x").kind, IoKind::done);
    wants.clear();
    wants.add(near.fd(), Ready::read);
    poller.wait(wants, now());
    EXPECT_FALSE(near.quiet());
}

TEST(Poller, waits_no_longer_than_it_was_told_and_not_at_all_for_the_past) {
    Poller poller;
    Wants wants;
    const TimePoint begun = now();
    wants.until(begun + 20ms);
    poller.wait(wants, begun);
    EXPECT_GE(now(), begun + 20ms);
    wants.until(begun - 1h);
    poller.wait(wants, now());
    EXPECT_LT(now(), begun + 2s);
}

TEST(Poller, looks_at_a_stop_that_came_before_it) {
    std::stop_source stop;
    stop.request_stop();
    Poller poller{stop.get_token()};
    poller.wait(Wants{}, now());  // would not end otherwise
}

TEST(PollerThreads, are_woken_by_others_and_by_a_stop) {
    Poller poller;
    Wants wants;
    wants.add_others();
    for (int i = 0; i < 100; ++i) {
        const std::jthread other{[&] { poller.wake(); }};
        poller.wait(wants, now());
    }
    std::stop_source stop;
    Poller stopped{stop.get_token()};
    const std::jthread other{[&] { stop.request_stop(); }};
    while (!stop.stop_requested()) stopped.wait(Wants{}, now());
}

}  // namespace
}  // namespace perdure::net
