// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/pages.hpp"

#include <atomic>
#include <numeric>
#include <thread>

#include "dynamodb/scripted_service.hpp"
#include "perdure/dynamodb/list_tables.hpp"
#include "perdure/dynamodb/query.hpp"

namespace perdure::dynamodb {
namespace {

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// Three pages; the one in the middle is empty.
http::Reply three_pages(const Told& told) {
    if (has(told.body, R"("ExclusiveStartKey":{"n":{"N":"4"}})"))
        return said(R"({"Items":[{"n":{"N":"5"}}],"Count":1})");
    if (has(told.body, R"("ExclusiveStartKey":{"n":{"N":"2"}})"))
        return said(R"({"Items":[],"Count":0,"LastEvaluatedKey":{"n":{"N":"4"}}})");
    return said(
        R"({"Items":[{"n":{"N":"1"}},{"n":{"N":"2"}}],"LastEvaluatedKey":{"n":{"N":"2"}}})");
}

Query all() { return Query{"t"}.key("pk = :a").value(":a", "x"); }

template <class P>
std::vector<int> numbers(P& walk) {
    std::vector<int> seen;
    for (Result<Page>& page : walk) {
        EXPECT_TRUE(page) << to_string(page.error());
        for (const Item& item : page->items) seen.push_back(item.get<int>("n").value_or(-1));
    }
    return seen;
}

TEST(Pages, are_walked_to_the_end_past_empty_ones) {
    Service service{three_pages};
    auto walk = pages(service.client(), all());
    EXPECT_EQ(numbers(walk), (std::vector{1, 2, 5}));
    EXPECT_TRUE(walk.ended());
    EXPECT_EQ(service.order(), "Query Query Query");
    EXPECT_TRUE(numbers(walk).empty());
    EXPECT_EQ(service.heard().size(), 3u);
}

TEST(Pages, come_one_by_one_to_those_who_ask) {
    Service service{three_pages};
    auto walk = pages(service.client(), all());
    std::vector<std::size_t> sizes;
    for (auto page = walk.next(); page && *page; page = walk.next())
        sizes.push_back((*page)->items.size());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 0, 1}));
    const auto more = walk.next();
    ASSERT_TRUE(more);
    EXPECT_FALSE(*more);
}

Task<Result<std::vector<int>>> walk_through(Client& client) {
    auto walk = pages(client, all());
    std::vector<int> seen;
    for (;;) {
        auto asking = walk.start_next();
        auto page = co_await asking;
        if (!page) co_return page.take_failure();
        if (!*page) break;
        for (const Item& item : (*page)->items) seen.push_back(item.get<int>("n").value_or(-1));
    }
    co_return seen;
}

TEST(Pages, are_walked_by_coroutines_just_so) {
    Service service{three_pages};
    const auto seen = wait_for(walk_through(service.client()));
    ASSERT_TRUE(seen) << to_string(seen.error());
    EXPECT_EQ(*seen, (std::vector{1, 2, 5}));
    EXPECT_EQ(service.heard().size(), 3u);
}

TEST(Pages, end_with_a_failure_after_which_the_same_page_can_be_asked_for) {
    std::atomic<int> asked = 0;
    Service service{[&](const Told& told) {
        return ++asked == 2 ? refused_reply("ValidationException") : three_pages(told);
    }};
    auto walk = pages(service.client(), all());
    std::vector<bool> fine;
    for (const Result<Page>& page : walk) fine.push_back(page.has_value());
    EXPECT_EQ(fine, (std::vector{true, false}));
    EXPECT_FALSE(walk.ended());

    EXPECT_EQ(numbers(walk), (std::vector{5}));
    const auto heard = service.heard();
    ASSERT_EQ(heard.size(), 4u);
    EXPECT_EQ(heard[1].body, heard[2].body);
}

TEST(Pages, carry_one_deadline_for_the_whole_walk) {
    const TimePoint now = system_clock().now();
    Service service{three_pages};
    auto walk = pages(service.client(), all(), {.deadline = Deadline{now - 1s}});
    const auto late = walk.next();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().stop, Stop::deadline);

    // Ends in the middle of the walk: the server falls silent from the second page on.
    Service silent{[](const Told& told) {
        return has(told.body, "ExclusiveStartKey") ? http::held(said("{}")) : three_pages(told);
    }};
    const Deadline soon = Deadline::in(300ms, system_clock().now());
    auto cut = pages(silent.client(), all(), {.deadline = soon});
    ASSERT_TRUE(cut.next());
    const auto second = cut.next();
    ASSERT_FALSE(second);
    EXPECT_GE(system_clock().now(), soon.at() - 50ms);
    EXPECT_LT(system_clock().now(), soon.at() + 2s);
}

TEST(Pages, go_on_from_where_another_walk_stood) {
    Service service{three_pages};
    auto first = pages(service.client(), all());
    ASSERT_TRUE(first.next());
    auto second = pages(service.client(), first.request());
    EXPECT_EQ(numbers(second), (std::vector{5}));
}

TEST(Pages, of_segments_share_a_scan_between_threads) {
    Service service{[](const Told& told) {
        const std::size_t at = told.body.find(R"("Segment":)") + 10;
        const std::string which{told.body.substr(at, 1)};
        if (!has(told.body, R"("TotalSegments":4)")) return refused_reply("ValidationException");
        if (has(told.body, "ExclusiveStartKey"))
            return said(R"({"Items":[{"n":{"N":"1)" + which + R"("}}]})");
        return said(R"({"Items":[],"LastEvaluatedKey":{"n":{"N":"0"}}})");
    }};
    auto parts = segments(service.client(), Scan{"t"}, 4);
    ASSERT_EQ(parts.size(), 4u);
    std::vector<int> found(4);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < parts.size(); ++i)
            threads.emplace_back([&, i] {
                const auto seen = numbers(parts[i]);
                found[i] = std::accumulate(seen.begin(), seen.end(), 0);
            });
    }
    EXPECT_EQ(found, (std::vector{10, 11, 12, 13}));
    EXPECT_EQ(service.heard().size(), 8u);
    EXPECT_EQ(segments(service.client(), Scan{"t"}, 0).size(), 1u);
}

TEST(Pages, of_table_names_too) {
    Service service{[](const Told& told) {
        return has(told.body, R"("ExclusiveStartTableName":"b")")
                   ? said(R"({"TableNames":["c"]})")
                   : said(R"({"TableNames":["a","b"],"LastEvaluatedTableName":"b"})");
    }};
    std::string names;
    auto walk = pages(service.client(), ListTables{});
    for (const auto& page : walk) {
        ASSERT_TRUE(page);
        for (const std::string& name : page->names) names += name;
    }
    EXPECT_EQ(names, "abc");
}

}  // namespace
}  // namespace perdure::dynamodb
