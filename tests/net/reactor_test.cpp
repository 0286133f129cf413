// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/reactor.hpp"

#include <array>
#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <semaphore>
#include <vector>

#include "net/loopback.hpp"
#include "perdure/net/asio_reactor.hpp"

namespace perdure::net {
namespace {

constexpr auto patience = std::chrono::seconds{5};

struct Once final : Job {
    explicit Once(std::function<void()> what)
        : Job{[](Job& job) { static_cast<Once&>(job).todo(); }}, todo{std::move(what)} {}
    std::function<void()> todo;
};

struct Ringing final : Alarm {
    explicit Ringing(std::function<void()> what)
        : Alarm{[](Alarm& alarm) { static_cast<Ringing&>(alarm).todo(); }}, todo{std::move(what)} {}
    std::function<void()> todo;
};

// Runs it on the reactor's thread and waits for it.
void on(Reactor& reactor, std::function<void()> what) {
    std::binary_semaphore done{0};
    Once job{[&] {
        what();
        done.release();
    }};
    reactor.post(job);
    ASSERT_TRUE(done.try_acquire_for(patience));
}

struct Wire {
    Listener listener{loopback_v4(1)};
    Socket near = connected_to(listener);
    Socket far = listener.accept();
};

TEST(AsioReactorThreads, run_jobs_in_order_on_one_thread) {
    AsioReactor reactor;
    EXPECT_FALSE(reactor.here());
    std::vector<int> order;
    std::binary_semaphore done{0};
    Once first{[&] { order.push_back(1); }}, second{[&] { order.push_back(2); }};
    Once last{[&] {
        EXPECT_TRUE(reactor.here());
        done.release();
    }};
    for (Once* each : {&first, &second, &last}) reactor.post(*each);
    ASSERT_TRUE(done.try_acquire_for(patience));
    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(AsioReactorThreads, ring_alarms_in_time_and_not_those_that_were_disarmed) {
    AsioReactor reactor;
    std::binary_semaphore done{0};
    std::vector<int> rung;
    Ringing late{[&] { rung.push_back(2), done.release(); }};
    Ringing early{[&] { rung.push_back(1); }};
    Ringing never_rung{[&] { rung.push_back(3); }};
    const TimePoint begun = reactor.clock().now();
    on(reactor, [&] {
        reactor.arm(late, begun + 20ms);
        reactor.arm(early, begun + 5ms);
        reactor.arm(never_rung, begun + 1ms);
        reactor.disarm(never_rung);
    });
    ASSERT_TRUE(done.try_acquire_for(patience));
    EXPECT_GE(reactor.clock().now(), begun + 20ms);
    EXPECT_EQ(rung, (std::vector{1, 2}));
}

TEST(AsioReactorThreads, watch_a_socket_once_for_each_wait) {
    AsioReactor reactor;
    Wire wire;
    std::unique_ptr<Watch> watch;
    std::counting_semaphore<8> read{0};
    int times = 0;
    Once job{[&] { ++times, read.release(); }};
    on(reactor, [&] {
        watch = reactor.watch(wire.near.fd());
        watch->wait(Ready::read, job);
    });
    ASSERT_EQ(wire.far.write("x").kind, IoKind::done);
    ASSERT_TRUE(read.try_acquire_for(patience));
    on(reactor, [] {});
    EXPECT_EQ(times, 1) << "nobody waits any more";
    std::array<char, 8> bytes{};
    EXPECT_EQ(wire.near.read(bytes).bytes, 1u);
    on(reactor, [&] { watch->wait(Ready::read, job); });
    ASSERT_EQ(wire.far.write("y").kind, IoKind::done);
    ASSERT_TRUE(read.try_acquire_for(patience));
    EXPECT_EQ(times, 2);
    on(reactor, [&] { watch->wait(Ready::both, job); });
    ASSERT_TRUE(read.try_acquire_for(patience));
    on(reactor, [] {});
    EXPECT_EQ(times, 3) << "ready for both, but woken once";
    watch.reset();
}

TEST(AsioReactorThreads, do_not_run_a_job_whose_wait_was_cancelled) {
    AsioReactor reactor;
    Wire wire;
    std::unique_ptr<Watch> watch;
    bool ran = false;
    Once job{[&] { ran = true; }};
    on(reactor, [&] {
        watch = reactor.watch(wire.near.fd());
        watch->wait(Ready::read, job);
        watch->cancel();
    });
    ASSERT_EQ(wire.far.write("x").kind, IoKind::done);
    std::binary_semaphore done{0};
    Once other{[&] { done.release(); }};  // what came meanwhile is not forgotten
    on(reactor, [&] { watch->wait(Ready::read, other); });
    ASSERT_TRUE(done.try_acquire_for(patience));
    EXPECT_FALSE(ran);
    watch.reset();
    EXPECT_TRUE(wire.near) << "the socket is not the watch's to close";
}

TEST(AsioReactor, refuses_to_watch_what_is_no_socket) {
    asio::io_context context;
    AsioReactor reactor{context};
    EXPECT_EQ(reactor.watch(-1), nullptr);
}

TEST(AsioReactor, lets_the_run_of_a_context_that_is_not_its_own_end) {
    asio::io_context context;
    AsioReactor reactor{context};
    Wire wire;
    std::unique_ptr<Watch> watch;
    Ringing far_away{[] { ADD_FAILURE(); }};
    Once never_ready{[] { ADD_FAILURE(); }};
    int ran = 0;
    Once job{[&] {
        ++ran;
        EXPECT_TRUE(reactor.here());
        reactor.arm(far_away, reactor.clock().now() + 1h);
        watch = reactor.watch(wire.near.fd());
        watch->wait(Ready::read, never_ready);
        watch->cancel();
        reactor.disarm(far_away);
    }};
    reactor.post(job);
    context.run();
    EXPECT_EQ(ran, 1);
    EXPECT_FALSE(reactor.here());
}

TEST(AsioReactor, leaves_no_wait_behind_when_one_of_two_was_enough) {
    asio::io_context context;
    AsioReactor reactor{context};
    Wire wire;
    std::unique_ptr<Watch> watch;
    int ran = 0;
    Once writable{[&] {
        ++ran;
        watch->cancel();
    }};
    Once job{[&] {
        watch = reactor.watch(wire.near.fd());
        watch->wait(Ready::both, writable);  // nothing to read will ever come
    }};
    reactor.post(job);
    context.run_for(2s);
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(context.stopped()) << "somebody still waits for the socket";
}

}  // namespace
}  // namespace perdure::net
