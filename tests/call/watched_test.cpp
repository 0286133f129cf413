// SPDX-License-Identifier: Apache-2.0
//
// Is an observer that wants whole calls handed each of them, by every driver, and nobody else any?
#include "perdure/call/watched.hpp"

#include "call/json_check.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "perdure/testing/virtual_loop.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace perdure::testing {
namespace {

class Collector final : public Observer {
public:
    void on_event(const Event&) noexcept override {}
    [[nodiscard]] bool wants_calls() const noexcept override { return wants; }
    void on_call(const Diagnostics& call) noexcept override {
        calls.push_back(call);
        EXPECT_TRUE(JsonCheck{call.to_json()}.sound()) << call.to_json();
    }
    bool wants = true;
    std::vector<Diagnostics> calls;
};

struct Handed : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Collector collector;
    Plan plan{.name = "users", .deadline = 3s, .place = "users.internal:443"};
};

TEST_F(Handed, a_call_that_went_well_comes_whole) {
    Caller caller{plan, {clock, ceiling, &collector}};
    const WallTime before = clock.wall();
    Scripted<int> service{{succeeds(1).takes(5ms)}, clock};
    EXPECT_TRUE(caller.run({.name = "load"}, service));
    ASSERT_EQ(collector.calls.size(), 1u);
    const Diagnostics& call = collector.calls[0];
    EXPECT_TRUE(call.succeeded());
    EXPECT_EQ(call.elapsed(), 5ms);
    EXPECT_EQ(call.began(), before);
    EXPECT_EQ(call.dependency(), "users");
    EXPECT_EQ(call.attempts().at(0).place, "users.internal:443");
    const std::string json = call.to_json();
    EXPECT_NE(json.find(R"("deadline_ns":3000000000,"attempt_timeout_ns":1000000000)"),
              std::string::npos)
        << json;
    EXPECT_NE(json.find(R"("server.address":"users.internal:443")"), std::string::npos) << json;
}

TEST_F(Handed, a_call_that_failed_comes_with_every_attempt_and_what_the_service_asked_for) {
    Caller caller{plan, {clock, ceiling, &collector}};
    Scripted<int> service{{fails({.cause = Cause::throttled, .retry_after = 200ms, .status = 429}),
                           fails(Cause::invalid)},
                          clock};
    EXPECT_FALSE(caller.run({.name = "load"}, service));
    ASSERT_EQ(collector.calls.size(), 1u);
    EXPECT_EQ(collector.calls[0].stop(), Stop::permanent);
    EXPECT_EQ(collector.calls[0].attempts().at(0).retry_after, Duration{200ms});
    const std::string json = collector.calls[0].to_json();
    EXPECT_NE(json.find(R"("status":429,"retry_after_ns":200000000)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("budget_left":7.9)"), std::string::npos) << json;
}

TEST_F(Handed, an_own_record_is_filled_as_well_and_keeps_its_description) {
    Caller caller{plan, {clock, ceiling, &collector}};
    Diagnostics own;
    own.describe({.subject = "customer-17", .bytes = 900, .charge = 2.5});
    Scripted<int> service{{succeeds(1)}};
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(caller.run({.name = "load", .diagnostics = &own}, service));
    ASSERT_EQ(collector.calls.size(), 2u);
    const std::string json = own.to_json();
    EXPECT_EQ(json, collector.calls[1].to_json());
    EXPECT_EQ(json.find("customer"), std::string::npos) << json;
    const std::size_t at = json.find(R"("subject":")");
    ASSERT_NE(at, std::string::npos) << json;
    const std::string subject = json.substr(at + 11, 17);
    EXPECT_EQ(subject.find_first_not_of("0123456789abcdef"), 16u) << subject;
    EXPECT_NE(json.find(R"("request_bytes":900,"request_units":2.5)"), std::string::npos) << json;
    Diagnostics other;
    other.describe({.subject = "customer-18"});
    EXPECT_EQ(other.to_json().find(subject), std::string::npos);
}

TEST_F(Handed, a_resolved_call_a_refused_call_and_a_nested_call_come_too) {
    Caller caller{plan, {clock, ceiling, &collector}};
    Scripted<int> service{{fails(Cause::timed_out), succeeds(1)}};
    Scripted<Landed<int>> resolver{{succeeds(Landed<int>::yes(3))}};
    EXPECT_EQ(caller.run({.name = "pay"}, service, resolver).value_or(-1), 3);
    ASSERT_EQ(collector.calls.size(), 1u);
    EXPECT_EQ(collector.calls[0].times_asked(), 1);
    EXPECT_TRUE(collector.calls[0].succeeded());

    const auto late = caller.run({.name = "late", .deadline = Deadline{clock.now()}}, service);
    EXPECT_FALSE(late);
    ASSERT_EQ(collector.calls.size(), 2u);
    EXPECT_EQ(collector.calls[1].attempts_made(), 0u);

    EXPECT_TRUE(caller.run({.name = "outer"}, [&](const Attempt& attempt) {
        return caller.run(attempt, {.name = "inner"}, service);
    }));
    ASSERT_EQ(collector.calls.size(), 4u);
}

TEST_F(Handed, nothing_comes_of_a_call_that_threw_or_to_one_who_does_not_want_it) {
    Caller caller{plan, {clock, ceiling, &collector}};
    const auto throws = []() -> Result<int> { throw std::runtime_error{"mine"}; };
    EXPECT_THROW((void)caller.run({}, throws), std::runtime_error);
    collector.wants = false;
    Scripted<int> service{{succeeds(1)}};
    EXPECT_TRUE(caller.run({}, service));
    EXPECT_TRUE(collector.calls.empty());
}

TEST_F(Handed, a_call_by_coroutine_comes_when_it_ends) {
    VirtualLoop loop;
    Caller caller{plan, {loop.clock(), ceiling, &collector, &loop}};
    int calls = 0;
    const auto work = [&calls](const Attempt&) -> Task<Result<int>> {
        if (++calls < 3) co_return fail({.cause = Cause::throttled});
        co_return calls;
    };
    const WallTime before = loop.clock().wall();
    EXPECT_EQ(loop.run(start(caller, {.name = "get"}, work)).value_or(-1), 3);
    ASSERT_EQ(collector.calls.size(), 1u);
    EXPECT_EQ(collector.calls[0].attempts().size(), 3u);
    EXPECT_EQ(collector.calls[0].began(), before);
    EXPECT_EQ(collector.calls[0].elapsed(), 150ms);
}

TEST(JsonText, is_valid_whatever_comes_in) {
    const struct {
        std::string_view in, out;
    } cases[] = {{"plain", "plain"},
                 {"a\"b\\c\n", "a\\\"b\\\\c\\u000a"},
                 {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
                 {"\xff", "\xef\xbf\xbd"},
                 {"\xc3", "\xef\xbf\xbd"},
                 {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                 {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"}};
    for (const auto& [in, out] : cases) {
        std::string json;
        append_json_text(json, in);
        EXPECT_EQ(json, '"' + std::string{out} + '"');
    }
}

}  // namespace
}  // namespace perdure::testing
