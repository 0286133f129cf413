// SPDX-License-Identifier: Apache-2.0
//
// Does a client with a wrong clock count in the window in which all others count, from its first call on?
#include "dynamodb/talking.hpp"

#include "perdure/dynamodb/counted.hpp"
#include "perdure/http/date.hpp"

namespace perdure::dynamodb {
namespace {

class ServiceClocks : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, ServiceClocks, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

// An hour, so that a test does not see the turn of a window by chance more often than never.
const Counted visit = Counted{"visits", {{"pk", "home"}}, "n"}.window(1h);
constexpr std::string_view counted_one = R"({"Attributes":{"n":{"N":"1"}}})";

std::string date_of(WallTime at) { return "Date: " + http::http_date(at) + "\r\n"; }

std::string set_filled(const Seen& seen) { return between(seen.body, R"("#filled":")", "\""); }

std::string set_filled_at(WallTime at) {
    std::string body;
    EXPECT_TRUE(visit.append_body(body, {.id = "me", .began = at}));
    return between(body, R"("#filled":")", "\"");
}

std::vector<std::string> operations(const Server& server) {
    std::vector<std::string> names;
    for (const Seen& seen : server.seen()) names.push_back(operation_of(seen));
    return names;
}

using Names = std::vector<std::string>;

// The client's clock is an hour fast: by its own time it would fill the next set and empty one in which
// others still look for their ids.
TEST_P(ServiceClocks, tell_the_window_of_the_very_first_count) {
    Server server{[](const Seen& seen) {
        const std::string date = date_of(system_clock().wall() - 1h);
        return operation_of(seen) == "GetItem" ? said("{}", date) : said(counted_one, date);
    }};
    Client client{talking_to(server)};
    const std::string early = set_filled_at(system_clock().wall() - 1h);
    ASSERT_TRUE(ask(client, visit));
    ASSERT_TRUE(ask(client, visit));
    const std::string late = set_filled_at(system_clock().wall() - 1h);
    ASSERT_EQ(operations(server), (Names{"GetItem", "UpdateItem", "UpdateItem"}))
        << "asked once for a client";
    for (const std::size_t update : {1u, 2u}) {
        const std::string filled = set_filled(server.seen()[update]);
        EXPECT_TRUE(filled == early || filled == late) << filled;
    }
}

TEST_P(ServiceClocks, are_read_from_any_answer) {
    Server server{[](const Seen& seen) {
        const std::string date = date_of(system_clock().wall() - 1h);
        if (operation_of(seen) == "UpdateItem") return said(counted_one, date);
        return http::status(400, R"({"__type":"x#AccessDeniedException","message":"may not read"})",
                            date);
    }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, visit));
    EXPECT_EQ(operations(server), (Names{"GetItem", "UpdateItem"}));
    EXPECT_LT(client.clock_skew(), -30min);
}

TEST_P(ServiceClocks, are_not_asked_where_an_earlier_answer_has_told_the_time) {
    Server server{[](const Seen& seen) {
        const std::string date = date_of(system_clock().wall());
        return operation_of(seen) == "GetItem" ? said("{}", date) : said(counted_one, date);
    }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, get_order));
    ASSERT_TRUE(ask(client, visit));
    EXPECT_EQ(operations(server), (Names{"GetItem", "UpdateItem"}));
}

// An emulator without a Date is believed to have our clock, and is not asked again and again.
TEST_P(ServiceClocks, that_are_not_told_are_taken_for_our_own) {
    Server server{[](const Seen& seen) {
        return operation_of(seen) == "GetItem" ? said("{}") : said(counted_one);
    }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, visit));
    ASSERT_TRUE(ask(client, visit));
    EXPECT_EQ(operations(server), (Names{"GetItem", "UpdateItem", "UpdateItem"}));
}

// A count by a date of another year would empty the set in which others look for their ids.
TEST_P(ServiceClocks, of_another_year_are_not_counted_by) {
    Server server{[](const Seen& seen) {
        constexpr std::string_view date = "Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n";
        return operation_of(seen) == "GetItem" ? said("{}", date) : said(counted_one, date);
    }};
    Client client{talking_to(server)};
    const std::string early = set_filled_at(system_clock().wall());
    ASSERT_TRUE(ask(client, visit));
    ASSERT_TRUE(ask(client, visit));
    const std::string late = set_filled_at(system_clock().wall());
    ASSERT_EQ(operations(server), (Names{"GetItem", "UpdateItem", "UpdateItem"}));
    for (const std::size_t update : {1u, 2u}) {
        const std::string filled = set_filled(server.seen()[update]);
        EXPECT_TRUE(filled == early || filled == late) << filled;
    }
    EXPECT_EQ(client.clock_skew(), 0s);
}

TEST_P(ServiceClocks, that_nobody_can_read_leave_the_item_uncounted) {
    Server server{[](const Seen&) { return lost(); }};
    Client client{talking_to(server)};
    const auto counted = ask(client, visit);
    ASSERT_FALSE(counted);
    EXPECT_EQ(counted.error().effect, Effect::none);
    for (const std::string& name : operations(server)) EXPECT_EQ(name, "GetItem");
}

TEST_P(ServiceClocks, take_their_time_from_the_deadline_of_the_call) {
    Server server{[](const Seen& seen) {
        return operation_of(seen) == "GetItem" ? http::status(500) : lost();
    }};
    Plan plan = quick(0);
    plan.deadline = 300ms;
    plan.budget = {.kind = BudgetKind::none};  // which would end it before the deadline does
    Client client{talking_to(server, plan)};
    const TimePoint began = system_clock().now();
    EXPECT_FALSE(ask(client, visit));
    EXPECT_LT(system_clock().now() - began, 600ms);
}

}  // namespace
}  // namespace perdure::dynamodb
