// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/resolver.hpp"

#include <condition_variable>
#include <thread>

#include "name_server.hpp"
#include "net/asker.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/thread_limit.hpp"
#include "time/tenths.hpp"

namespace perdure::net {
namespace {

using Manner = Zone::Manner;

const std::string ten_1{"\x0a\x00\x00\x01", 4};
const std::string ten_2{"\x0a\x00\x00\x02", 4};
const std::string six_1 = std::string{"\x20\x01\x0d\xb8"} + std::string(11, '\0') + '\x01';

// The machine's clock, moved forward when the test says so.
class ShiftedClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        return system_clock().now() + Duration{ahead_.load()};
    }
    [[nodiscard]] WallTime wall() const noexcept override { return system_clock().wall(); }
    Woken sleep_until(TimePoint, const std::stop_token&) override { return Woken::on_time; }
    void advance(Duration by) noexcept { ahead_ += by.count(); }

private:
    std::atomic<Duration::rep> ahead_ = 0;
};

class Signal final : public Waker {
public:
    void wake() noexcept override {
        const std::lock_guard held{mutex_};
        ++count_;
        changed_.notify_all();
    }
    bool wait() {
        std::unique_lock held{mutex_};
        return changed_.wait_until(held, system_clock().now() + 5s, [this] { return count_ > 0; });
    }
    [[nodiscard]] int count() {
        const std::lock_guard held{mutex_};
        return count_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

class ResolverThreads : public ::testing::Test {
protected:
    Result<Addresses> ask(std::string_view host, Duration within = 3s) {
        return resolver.look_up_by(host, 80, Deadline::in(within, clock.now()));
    }
    std::string first(std::string_view host) {
        const auto found = ask(host);
        return found ? found->front().host() : to_string(found.error());
    }

    NameServer server;
    ShiftedClock clock;
    Resolver resolver{{.servers = {server.where()}, .give_up_after = 1s, .stale_for = 30s}, clock};
};

TEST_F(ResolverThreads, know_numbers_and_localhost_without_asking) {
    Signal signal;
    for (const char* const host : {"127.0.0.1", "[::1]", "::1", "localhost", "LocalHost."}) {
        Lookup lookup = resolver.look_up(host, signal);
        ASSERT_TRUE(lookup.done()) << host;
        EXPECT_TRUE((*lookup.take())->front().loopback());
    }
    EXPECT_EQ(server.asked("localhost"), 0);
    EXPECT_EQ(signal.count(), 0);
}

TEST_F(ResolverThreads, give_both_families_with_the_port_asked_for) {
    server.set("both.test", {.v4 = {ten_1, ten_2}, .v6 = {six_1}});
    const auto found = ask("Both.Test");
    ASSERT_TRUE(found) << to_string(found.error());
    ASSERT_EQ(found->size(), 3U);
    EXPECT_NE((*found)[0].family(), (*found)[1].family()) << "the families take turns";
    for (const Address& address : *found) EXPECT_EQ(address.port(), 80);
}

TEST_F(ResolverThreads, wake_whoever_waits_and_ask_once_for_all_of_them) {
    server.set("a.test", {.v4 = {ten_1}});
    Signal signals[3];
    std::vector<Lookup> lookups;
    for (Signal& signal : signals) lookups.push_back(resolver.look_up("a.test", signal));
    for (int i = 0; i < 3; ++i) {
        if (!lookups[static_cast<std::size_t>(i)].done()) {
            ASSERT_TRUE(signals[i].wait());
        }
        const auto found = lookups[static_cast<std::size_t>(i)].take();
        ASSERT_TRUE(found) << to_string(found.error());
        EXPECT_EQ((*found)->front().host(), "10.0.0.1");
    }
    Lookup again = resolver.look_up("a.test", signals[0]);
    EXPECT_TRUE(again.done());
    EXPECT_EQ(server.asked("a.test"), 1);
}

TEST_F(ResolverThreads, remember_an_answer_as_long_as_it_says_and_give_it_while_asking_anew) {
    server.set("a.test", {.v4 = {ten_1}, .ttl = 10});
    server.set("other.test", {.v4 = {ten_1}});
    EXPECT_EQ(first("a.test"), "10.0.0.1");
    server.set("a.test", {.v4 = {ten_2}, .ttl = 10});
    clock.advance(9s);
    EXPECT_EQ(first("a.test"), "10.0.0.1");
    EXPECT_EQ(server.asked("a.test"), 1);

    clock.advance(2s);
    EXPECT_EQ(first("a.test"), "10.0.0.1") << "stale, but at once";
    EXPECT_EQ(first("other.test"), "10.0.0.1") << "answered after the question before it";
    EXPECT_EQ(first("a.test"), "10.0.0.2");
    EXPECT_EQ(server.asked("a.test"), 2);

    server.set("a.test", {.v4 = {ten_1}, .ttl = 10});
    clock.advance(41s);
    EXPECT_EQ(first("a.test"), "10.0.0.1") << "too old to be given";
    EXPECT_EQ(server.asked("a.test"), 3);
}

TEST_F(ResolverThreads, do_without_name_servers_for_a_while_if_the_addresses_are_known) {
    server.set("a.test", {.v4 = {ten_1}, .ttl = 10});
    server.set("other.test", {.v4 = {ten_1}});
    EXPECT_EQ(first("a.test"), "10.0.0.1");
    server.set("a.test", {.v4 = {ten_1}, .v6 = {six_1}, .manner = Manner::broken});
    clock.advance(11s);
    EXPECT_EQ(first("a.test"), "10.0.0.1");
    EXPECT_EQ(first("other.test"), "10.0.0.1") << "answered after the question before it";
    const int asked = server.asked("a.test");
    for (int i = 0; i < 10; ++i) EXPECT_EQ(first("a.test"), "10.0.0.1");
    EXPECT_EQ(server.asked("a.test"), asked) << "not at every call";
    clock.advance(31s);
    EXPECT_EQ(ask("a.test").error().cause, Cause::unavailable);
}

TEST_F(ResolverThreads, remember_for_a_moment_that_there_is_no_such_name) {
    for (const auto& [host, code] :
         {std::pair{"no.test", "ARES_ENOTFOUND"}, std::pair{"empty.test", "ARES_ENODATA"}}) {
        SCOPED_TRACE(host);
        server.set("empty.test", {});
        for (int i = 0; i < 3; ++i) {
            const auto found = ask(host);
            ASSERT_FALSE(found);
            EXPECT_EQ(found.error().cause, Cause::unavailable);
            EXPECT_EQ(found.error().effect, Effect::none);
            EXPECT_EQ(found.error().origin, Origin::network);
            EXPECT_EQ(found.error().code, code);
            EXPECT_EQ(found.error().rule, "") << "an answer: not asked for until the deadline";
            EXPECT_NE(found.error().message.find(host), std::string::npos);
        }
        EXPECT_EQ(server.asked(host), 1);
        clock.advance(2s);
        server.set(host, {.v4 = {ten_1}});
        EXPECT_EQ(first(host), "10.0.0.1");
    }
}

TEST_F(ResolverThreads, do_not_remember_that_a_server_failed) {
    server.set("a.test", {.manner = Manner::failure});
    const auto found = ask("a.test");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().cause, Cause::unavailable);
    EXPECT_EQ(found.error().effect, Effect::none);
    EXPECT_EQ(found.error().code, "ARES_ECONNREFUSED") << "c-ares does not tell them apart";
    EXPECT_EQ(found.error().rule, "connect");
    server.set("a.test", {.v4 = {ten_1}});
    EXPECT_EQ(first("a.test"), "10.0.0.1");
}

TEST_F(ResolverThreads, end_by_the_deadline_when_the_server_is_silent) {
    server.set("silent.test", {.manner = Manner::silence});
    const TimePoint begun = clock.now();
    const auto found = ask("silent.test", 300ms);
    const Duration took = clock.now() - begun;
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().cause, Cause::timed_out);
    EXPECT_EQ(found.error().effect, Effect::none);
    EXPECT_EQ(found.error().code, "dns-timeout");
    EXPECT_GE(took, 300ms);
    EXPECT_LE(took, 800ms);
    server.set("a.test", {.v4 = {ten_1}});
    EXPECT_EQ(first("a.test"), "10.0.0.1") << "and the next one works";
}

TEST_F(ResolverThreads, use_one_family_if_the_server_keeps_silent_about_the_other) {
    server.set("half.test", {.v4 = {ten_1}, .manner = Manner::no_v6});
    const TimePoint begun = clock.now();
    EXPECT_EQ(first("half.test"), "10.0.0.1");
    EXPECT_LE(clock.now() - begun, 500ms);
}

TEST_F(ResolverThreads, ask_by_tcp_when_an_answer_was_cut_short) {
    server.set("long.test", {.v4 = {ten_1}, .v6 = {six_1}, .manner = Manner::cut});
    const auto found = ask("long.test");
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->size(), 2U);
}

TEST_F(ResolverThreads, believe_no_garbage) {
    server.set("broken.test", {.v4 = {ten_1}, .v6 = {six_1}, .manner = Manner::broken});
    EXPECT_EQ(ask("broken.test").error().code, "ARES_EBADRESP");
    server.set("garbage.test", {.v4 = {ten_1}, .manner = Manner::garbage});
    EXPECT_EQ(ask("garbage.test", 50ms).error().cause, Cause::timed_out);
}

TEST_F(ResolverThreads, bound_the_number_of_addresses) {
    server.set("many.test", {.v4 = std::vector(25, ten_1), .v6 = std::vector(12, six_1)});
    const auto found = ask("many.test");
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->size(), 32U);
}

TEST_F(ResolverThreads, refuse_what_cannot_be_a_name) {
    for (const std::string& host :
         {std::string{}, std::string{"a b"}, std::string("a\0b", 3), std::string(254, 'a'),
          std::string(64, 'a') + ".test", std::string{"a..test"}}) {
        const auto found = ask(host);
        ASSERT_FALSE(found) << host;
        EXPECT_EQ(found.error().cause, Cause::invalid) << host << ": " << to_string(found.error());
        EXPECT_EQ(found.error().effect, Effect::none);
    }
}

TEST_F(ResolverThreads, forget_when_told_to) {
    server.set("a.test", {.v4 = {ten_1}});
    EXPECT_EQ(first("a.test"), "10.0.0.1");
    server.set("a.test", {.v4 = {ten_2}});
    resolver.forget("A.test");
    EXPECT_EQ(first("a.test"), "10.0.0.2");
}

TEST_F(ResolverThreads, stop_waiting_when_asked_to) {
    server.set("silent.test", {.manner = Manner::silence});
    std::stop_source stop;
    stop.request_stop();
    const auto found = resolver.look_up_by("silent.test", 80, Deadline{}, stop.get_token());
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().cause, Cause::cancelled);
    EXPECT_EQ(found.error().effect, Effect::none);
}

TEST_F(ResolverThreads, leave_a_dropped_lookup_alone_and_give_up_by_themselves) {
    server.set("silent.test", {.manner = Manner::silence});
    Signal kept;
    Lookup lookup = resolver.look_up("silent.test", kept);
    Signal dropped;
    { const Lookup other = resolver.look_up("silent.test", dropped); }
    EXPECT_FALSE(lookup.done());
    clock.advance(1s);
    (void)ask("nudge.test");  // the thread looks at the clock when something happens
    ASSERT_TRUE(kept.wait());
    EXPECT_EQ(lookup.take().error().cause, Cause::timed_out);
    EXPECT_EQ(dropped.count(), 0);
}

TEST_F(ResolverThreads, serve_many_threads_at_once) {
    for (char c = 'a'; c < 'e'; ++c) {
        server.set(std::string{c} + ".test", {.v4 = {ten_1}, .ttl = 1});
    }
    Resolver patient{{.servers = {server.where()}, .give_up_after = 1h}, clock};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([this, t, &patient] {
            for (int i = 0; i < 50; ++i) {
                const std::string host =
                    std::string{static_cast<char>('a' + (i + t) % 4)} + ".test";
                const auto found = patient.look_up_by(host, 80, Deadline{});
                EXPECT_TRUE(found && found->size() == 1);
                if (i % 7 == t) patient.forget(host);
                if (i % 10 == t) clock.advance(500ms);
                Signal signal;
                const Lookup dropped = patient.look_up(host, signal);
            }
        });
    }
}

TEST(ResolverEndThreads, ends_at_once_however_silent_the_servers_are) {
    NameServer server;
    server.set("silent.test", {.manner = Manner::silence});
    Signal signal;
    Lookup lookup;
    const TimePoint begun = system_clock().now();
    {
        Resolver resolver{{.servers = {server.where()}}};
        lookup = resolver.look_up("silent.test", signal);
    }
    EXPECT_LE(system_clock().now() - begun, 200ms);
    ASSERT_TRUE(lookup.done()) << "and says so to those who wait";
    EXPECT_EQ(signal.count(), 1);
    EXPECT_EQ(lookup.take().error().cause, Cause::cancelled);
}

TEST(ResolverEndThreads, asks_for_no_more_names_at_a_time_than_allowed) {
    NameServer server;
    for (const char* const host : {"1.test", "2.test", "3.test"}) {
        server.set(host, {.manner = Manner::silence});
    }
    Resolver resolver{{.servers = {server.where()}, .most_names = 2}};
    Signal signal;
    const Lookup one = resolver.look_up("1.test", signal);
    const Lookup two = resolver.look_up("2.test", signal);
    Lookup three = resolver.look_up("3.test", signal);
    ASSERT_TRUE(three.done());
    const auto failure = three.take().error();
    EXPECT_EQ(failure.cause, Cause::exhausted);
    EXPECT_EQ(failure.effect, Effect::none);
}

TEST(ResolverEndThreads, says_which_setting_is_wrong) {
    Resolver resolver{{.servers = {"not a server"}}};
    const auto found = resolver.look_up_by("a.test", 80, Deadline{});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().cause, Cause::invalid);
}

TEST(NameCache, forgets_the_name_that_was_answered_longest_ago) {
    const ResolverOptions options{.most_names = 2};
    testing::FixedRandom longest{1};
    NameCache cache{options, longest};
    const NameAnswer answer{.answer = {.addresses = std::make_shared<const Addresses>()},
                            .memory = Memory::for_its_ttl,
                            .ttl = 1h};
    const TimePoint now{1h};
    cache.store("a", answer, now);
    cache.store("b", answer, now);
    cache.store("a", answer, now);
    cache.store("c", answer, now);
    EXPECT_EQ(cache.size(), 2U);
    EXPECT_TRUE(cache.find("a", now));
    EXPECT_FALSE(cache.find("b", now));
    EXPECT_TRUE(cache.find("c", now));
    EXPECT_EQ(cache.find("a", now)->fresh_until, now + options.longest_ttl) << "bounded above";
    cache.store("d", {.answer = answer.answer, .memory = Memory::for_its_ttl, .ttl = 0s}, now);
    EXPECT_EQ(cache.find("d", now)->fresh_until, now + options.least_ttl) << "and below";
}

// How long an answer is fresh.
Duration fresh_for(Memory memory, Duration ttl, Random& random) {
    const ResolverOptions options{.negative_for = 10s};
    NameCache cache{options, random};
    const TimePoint now{1h};
    cache.store("a", {.memory = memory, .ttl = ttl}, now);
    return cache.find("a", now)->fresh_until - now;
}

TEST(NameCache, believes_an_answer_for_up_to_a_tenth_less_than_it_says) {
    struct Case {
        Memory memory;
        Duration ttl, least, most;
    };
    const Case cases[] = {
        {Memory::for_its_ttl, 1min, 54s, 60s},     {Memory::for_its_ttl, 1h, 270s, 5min},
        {Memory::for_its_ttl, 1050ms, 1s, 1050ms}, {Memory::for_its_ttl, 0s, 1s, 1s},
        {Memory::negative, 0s, 9s, 10s},
    };
    testing::FixedRandom least{0}, most{1};
    for (const Case& each : cases) {
        EXPECT_EQ(fresh_for(each.memory, each.ttl, least), each.least);
        EXPECT_EQ(fresh_for(each.memory, each.ttl, most), each.most);
    }
}

TEST(NameCache, asks_again_after_a_failed_refresh_up_to_a_tenth_earlier) {
    for (const auto& [draw, wait] : {std::pair{0.0, 900ms}, {1.0, 1000ms}}) {
        testing::FixedRandom random{draw};
        const ResolverOptions options{};
        NameCache cache{options, random};
        const TimePoint now{1h};
        cache.store("a", {.memory = Memory::for_its_ttl, .ttl = 10s}, now);
        cache.store("a", {.memory = Memory::none}, now + 10s);
        EXPECT_EQ(cache.find("a", now + 10s)->fresh_until, now + 10s + wait);
    }
}

TEST(NameCache, does_not_make_a_fleet_ask_at_the_same_time) {
    SeededRandom random{4};
    for (const Memory memory : {Memory::for_its_ttl, Memory::negative}) {
        std::vector<Duration> waits(200);
        for (Duration& wait : waits) wait = fresh_for(memory, 10s, random);
        EXPECT_LT(fullest_tenth(waits, 9s, 10s), 0.25) << "seed 4";
    }
}

TEST(NameCache, believes_there_is_no_such_name_only_if_both_families_say_so) {
    const DnsPart no_such{.failure = Failure{.cause = Cause::unavailable},
                          .memory = Memory::negative};
    const DnsPart silent{.failure = Failure{.cause = Cause::timed_out}};
    EXPECT_EQ(join(no_such, no_such, "a").memory, Memory::negative);
    EXPECT_EQ(join(no_such, silent, "a").memory, Memory::none);
    EXPECT_EQ(join(silent, no_such, "a").answer.failure->cause, Cause::timed_out);
    EXPECT_EQ(join(no_such, {}, "a").answer.failure->cause, Cause::timed_out) << "not heard yet";
}

TEST(ResolverThread, that_cannot_be_started_fails_the_lookup_and_is_tried_again) {
    Resolver resolver{{.servers = {"127.0.0.1:9"}, .give_up_after = 1s}};
    {
        const testing::ThreadLimit none{0};
        const auto found = resolver.look_up_by("db.test", 80, Deadline{});
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, "no-thread");
    }
    const auto found = resolver.look_up_by("db.test", 80, Deadline{});
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().code, "no-thread") << "it was asked for";
}

}  // namespace
}  // namespace perdure::net
