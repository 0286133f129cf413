// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/dial.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loopback.hpp"
#include "net/start.hpp"

namespace perdure::net {
namespace {

using State = Dial::State;

std::shared_ptr<const Addresses> listed(Addresses addresses) {
    return std::make_shared<const Addresses>(std::move(addresses));
}

// Turns it at one moment, however long the sockets take; nobody's stagger runs out.
State settle(Dial& dial, TimePoint now) {
    for (;;) {
        Wants wants;
        const State state = dial.turn(now, wants);
        if (state != State::under_way) return state;
        if (!wait_for(wants)) return state;
    }
}

// Accepts nobody and has no room for one more: the system then drops what comes, like a black hole.
class BlackHole {
public:
    explicit BlackHole(const Address& address) : listener_{address, 0} {
        filler_ = connected_to(listener_);
    }
    [[nodiscard]] const Address& address() const { return listener_.address(); }

private:
    Listener listener_;
    Socket filler_;
};

// No more descriptors for this process, as long as it lives.
class NoDescriptors {
public:
    NoDescriptors() {
        getrlimit(RLIMIT_NOFILE, &before_);
        const int next = dup(STDIN_FILENO);
        ::close(next);
        rlimit none = before_;
        none.rlim_cur = static_cast<rlim_t>(next);
        EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
    }
    ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

private:
    rlimit before_{};
};

TEST(Dial, connects_to_the_only_address_and_sets_no_timer_for_it) {
    const Listener listener{loopback_v4(1)};
    Dial dial{listed({loopback_v4(1)}), listener.port()};
    Wants wants;
    if (dial.turn(start, wants) == State::under_way) {
        EXPECT_EQ(wants.sockets().size(), 1U);
        EXPECT_EQ(wants.sockets()[0].for_what, Ready::write);
        EXPECT_EQ(wants.until(), TimePoint::max());
    }
    ASSERT_EQ(settle(dial, start), State::connected);
    EXPECT_EQ(dial.peer(), listener.address());
    Socket ours = dial.take();
    Socket theirs = listener.accept();
    EXPECT_EQ(ours.write("x").bytes, 1U);
    ASSERT_TRUE(wait_for(theirs, Ready::read));
}

TEST(Dial, goes_to_the_next_address_at_once_when_one_refuses) {
    const Listener listener{loopback_v4(2)};
    Dial dial{listed({loopback_v4(1), loopback_v4(3), loopback_v4(2)}), listener.port()};
    ASSERT_EQ(settle(dial, start), State::connected);
    EXPECT_EQ(dial.peer(), listener.address());
}

TEST(Dial, tries_the_next_beside_a_silent_one_after_the_stagger) {
    const BlackHole silent{loopback_v4(4)};
    const Listener listener{loopback_v4(2, silent.address().port())};
    Dial dial{listed({loopback_v4(4), loopback_v4(2)}), listener.port(), {.stagger = 250ms}};

    Wants wants;
    ASSERT_EQ(dial.turn(start, wants), State::under_way);
    ASSERT_EQ(wants.sockets().size(), 1U);
    EXPECT_EQ(wants.until(), start + 250ms);
    const int loser = wants.sockets()[0].fd;

    wants.clear();
    ASSERT_EQ(dial.turn(start + 249ms, wants), State::under_way);
    EXPECT_EQ(wants.sockets().size(), 1U);
    EXPECT_EQ(wants.until(), start + 250ms);

    ASSERT_EQ(settle(dial, start + 250ms), State::connected);
    EXPECT_EQ(dial.peer(), listener.address());
    EXPECT_EQ(-1, fcntl(loser, F_GETFD)) << "the loser is closed";
}

TEST(Dial, keeps_the_first_if_it_connects_while_the_second_is_tried) {
    const Listener listener{loopback_v4(2)};
    const BlackHole silent{loopback_v4(4, listener.port())};
    Dial dial{listed({loopback_v4(2), loopback_v4(4)}), listener.port(), {.stagger = 0ms}};
    ASSERT_EQ(settle(dial, start), State::connected);
    EXPECT_EQ(dial.peer(), listener.address());
}

TEST(Dial, has_no_more_under_way_than_allowed) {
    const BlackHole silent{loopback_v4(4)};
    const Addresses many(6, loopback_v4(4));
    Dial dial{listed(many), silent.address().port(), {.stagger = 10ms, .most_at_once = 2}};
    for (int i = 0; i < 5; ++i) {
        Wants wants;
        ASSERT_EQ(dial.turn(start + i * 10ms, wants), State::under_way);
        EXPECT_EQ(wants.sockets().size(), i == 0 ? 1U : 2U);
        EXPECT_EQ(wants.until(), i == 0 ? start + 10ms : TimePoint::max());
    }
}

TEST(Dial, fails_with_what_the_last_address_said_and_has_no_effect) {
    std::uint16_t port = 0;
    { port = Listener{loopback_v4(2)}.port(); }
    Dial dial{listed({loopback_v4(1), loopback_v4(2)}), port};
    ASSERT_EQ(settle(dial, start), State::failed);
    const Failure failure = dial.failure();
    EXPECT_EQ(failure.cause, Cause::unavailable);
    EXPECT_EQ(failure.effect, Effect::none);
    EXPECT_EQ(failure.origin, Origin::network);
    EXPECT_EQ(failure.code, "ECONNREFUSED");
    EXPECT_EQ(failure.message,
              "cannot connect: Connection refused (" + loopback_v4(2, port).to_string() + ")");
    Wants wants;
    EXPECT_EQ(dial.turn(start + 1s, wants), State::failed) << "and stays so";
}

TEST(Dial, finds_no_route_less_telling_than_a_refusal) {
    std::uint16_t port = 0;
    { port = Listener{loopback_v4(1)}.port(); }
    // Class E: no system routes it.
    const auto nowhere = Address::v4({240, 0, 0, 1}, 0);
    Dial dial{listed({loopback_v4(1), nowhere}), port, {.most_at_once = 1}};
    const State state = settle(dial, start);
    if (state == State::under_way) GTEST_SKIP() << "this machine has a route to 240.0.0.1";
    EXPECT_EQ(dial.failure().code, "ECONNREFUSED");
}

TEST(Dial, fails_without_addresses) {
    Dial dial{listed({}), 80};
    ASSERT_EQ(settle(dial, start), State::failed);
    EXPECT_EQ(dial.failure().cause, Cause::unavailable);
    EXPECT_EQ(dial.failure().effect, Effect::none);
}

TEST(Dial, is_exhausted_at_once_when_descriptors_run_out) {
    const Listener listener{loopback_v4(1)};
    Dial dial{listed({loopback_v4(1), loopback_v4(2)}), listener.port()};
    Wants wants;
    State state{};
    {
        const NoDescriptors none;
        state = dial.turn(start, wants);
    }
    ASSERT_EQ(state, State::failed);
    EXPECT_EQ(dial.failure().cause, Cause::exhausted);
    EXPECT_EQ(dial.failure().effect, Effect::none);
    EXPECT_EQ(dial.failure().code, "EMFILE");
}

TEST(Dial, waits_for_what_is_under_way_when_descriptors_run_out) {
    const BlackHole silent{loopback_v4(4)};
    Dial dial{listed({loopback_v4(4), loopback_v4(1)}), silent.address().port()};
    Wants wants;
    ASSERT_EQ(dial.turn(start, wants), State::under_way);
    wants.clear();
    const NoDescriptors none;
    EXPECT_EQ(dial.turn(start + 250ms, wants), State::under_way);
    EXPECT_EQ(wants.sockets().size(), 1U);
    EXPECT_EQ(wants.until(), TimePoint::max());
}

}  // namespace
}  // namespace perdure::net
