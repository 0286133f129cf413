// SPDX-License-Identifier: Apache-2.0
//
// Many writes through a proxy that loses answers and throttles: is what the callers were told what is
// in the table? `make dynamodb-full` does it with twenty thousand and puts the SDKs beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "live/dynamodb/support/account_run.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/batch_write.hpp"
#include "perdure/dynamodb/transact_write.hpp"
#include "perdure/dynamodb/versioned.hpp"

namespace perdure::live {
namespace {

using namespace dynamodb;

struct DynamoAccount : AccountRun {};
// Waits as long as the plan says; beside the others, for they use no processor while they wait.
struct DynamoAccountDefaults : AccountRun {};

TEST_F(DynamoAccount, increments_by_counted_are_there_once_and_never_in_doubt) {
    Books books{"counted", writes()};
    begin(stubborn_plan());
    write_all(books, counting());
    expect_the_truth(books, stubborn);
    write_row(books, stubborn);
    EXPECT_EQ(books.ends().done, books.writes());
}

TEST_F(DynamoAccountDefaults, increments_by_counted_under_the_default_plan) {
    Books books{"counted", writes()};
    begin({});
    write_all(books, counting());
    expect_the_truth(books, defaults);
    write_row(books, defaults);
    EXPECT_EQ(books.ends().unknown + books.ends().applied, 0);
}

TEST_F(DynamoAccount, creates_by_create_once_are_never_taken_for_anothers) {
    Books books{"create_once", writes()};
    begin(stubborn_plan());
    write_all(books, creating());
    expect_the_truth(books, stubborn);
    write_row(books, stubborn);
    EXPECT_EQ(books.ends().done, books.writes());
}

TEST_F(DynamoAccountDefaults, creates_by_create_once_under_the_default_plan) {
    Books books{"create_once", writes()};
    begin({});
    write_all(books, creating());
    expect_the_truth(books, defaults);
    write_row(books, defaults);
    EXPECT_EQ(books.ends().unknown + books.ends().applied, 0);
}

TEST_F(DynamoAccount, a_plain_add_says_unknown_instead_of_guessing) {
    Books books{"plain ADD", writes() / 2};
    begin(stubborn_plan());
    write_all(books, &DynamoAccount::add_one);
    expect_the_truth(books, stubborn);
    write_row(books, stubborn);
    EXPECT_GT(books.ends().unknown, 0);
}

TEST_F(DynamoAccountDefaults, a_plain_add_under_the_default_plan) {
    Books books{"plain ADD", writes() / 2};
    begin({});
    write_all(books, &AccountRun::add_one);
    expect_the_truth(books, defaults);
    write_row(books, defaults);
    EXPECT_GT(books.ends().unknown, 0);
}

TEST_F(DynamoAccount, transactions_keep_their_token_through_all_attempts) {
    Books books{"transact_write", writes() / 2};
    begin(stubborn_plan());
    write_all(books, [](std::string id) { return TransactWrite{}.update(add_one(std::move(id))); });
    expect_the_truth(books, stubborn);
    write_row(books, stubborn);
    EXPECT_EQ(books.ends().done, books.writes());
}

// Here the others count on the same item in between.
TEST_F(DynamoAccount, one_counter_for_all_has_the_sum_of_what_was_told) {
    Books books{"shared", std::min(writes() / 4, 1000)};
    begin(stubborn_plan());
    write_all(books, [](const std::string&) { return Counted{"orders", {{"pk", "all"}}, "n"}; });
    EXPECT_EQ(books.ends().done, books.writes());
    EXPECT_EQ(applied(*server, "all"), books.writes());
}

// Where two windows meet, calls of the older one arrive after those of the newer.
TEST_F(DynamoAccount, a_late_count_of_one_window_does_not_make_the_next_forget) {
    const Counted count = Counted{"orders", {{"pk", "all"}}, "n"}.window(2min);
    const auto status = [&](std::string_view id, int minute) {
        std::string body;
        EXPECT_TRUE(count.append_body(body, {.id = id, .began = WallTime{minute * 1min}}));
        return server->ask("UpdateItem", body).status;
    };
    for (int minute = 1000; minute < 1012; minute += 2) {
        const std::string old = "old-" + std::to_string(minute);
        const std::string young = "new-" + std::to_string(minute);
        const int before = applied(*server, "all");
        EXPECT_EQ(status(young, minute + 1), 200);
        EXPECT_EQ(status(old, minute - 1), 200);
        EXPECT_EQ(status(young, minute + 1), 400) << minute;
        EXPECT_EQ(status(old, minute - 1), 400) << minute;
        EXPECT_EQ(applied(*server, "all"), before + 2);
    }
}

TEST_F(DynamoAccount, versions_follow_each_other_whatever_answers_are_lost) {
    begin(stubborn_plan());
    const int versions = writes() / 8;
    for (int seen = 0; seen < versions; ++seen) {
        const auto kept =
            client->send(Versioned{"orders", {{"pk", "doc"}, {"n", seen + 1}}, {"pk"}, seen});
        ASSERT_TRUE(kept) << seen << ": " << to_string(kept.error());
    }
    EXPECT_EQ(applied(*server, "doc"), versions);
}

// What did not happen must be told apart from what did, so faults strike on both sides of the work.
TEST_F(DynamoAccount, whichever_side_of_the_work_a_fault_strikes) {
    const chaos::Match some{.probability = 0.06};
    begin(stubborn_plan(), {},
          {failing_after(500, some),
           refusing("InternalServerError", 500, some),
           {.fault = chaos::Fault::reset_after, .match = some},
           {.fault = chaos::Fault::reset_before, .match = some},
           refusing("ThrottlingException", 400, some)});
    Books counts{"counted", writes() / 2}, creates{"create_once", writes() / 2},
        adds{"plain ADD", writes() / 2};
    write_all(counts, counting());
    write_all(creates, creating());
    write_all(adds, &DynamoAccount::add_one);
    for (Books* const books : {&counts, &creates, &adds}) expect_the_truth(*books, "both sides");
    EXPECT_EQ(counts.ends().done, counts.writes());
    EXPECT_EQ(creates.ends().done, creates.writes());
    EXPECT_GT(adds.ends().unknown, 0);
}

// For the sanitizers.
struct DynamoAccountBrief : AccountRun {};

TEST_F(DynamoAccountBrief, a_few_writes_of_each_kind) {
    begin(stubborn_plan());
    Books counts{"counted", 200}, creates{"create_once", 200}, adds{"plain ADD", 200};
    write_all(counts, counting());
    write_all(creates, creating());
    write_all(adds, &AccountRun::add_one);
    for (Books* const books : {&counts, &creates, &adds}) {
        const auto lies = books->lies(*server);
        EXPECT_TRUE(lies.empty()) << lies.size() << " lies, the first: " << lies.front();
    }
    EXPECT_EQ(counts.ends().done + creates.ends().done, 400);
}

// The server between leaves some of every second batch undone, as a busy table would.
struct DynamoAccountBatches : AccountRun {
    void write_batches(Books& books, std::optional<Plan> plan) {
        const LeftoverServer busy{server->port()};
        begin(std::move(plan), busy.address());
        // One batch has one deadline; so many fit into the default one.
        constexpr int in_a_batch = 2000;
        for (int first = 0; first < books.writes(); first += in_a_batch)
            write_batch(books, first, std::min(books.writes(), first + in_a_batch));
        took = system_clock().now() - began;
        EXPECT_GT(busy.left(), 0);
        std::cout << busy.left() << " entries left over by the server\n";
    }

    void write_batch(Books& books, int first, int end) {
        BatchWrite all{"orders", {"pk"}};
        for (int number = first; number < end; ++number)
            all.put({{"pk", books.id(number)}, {"n", 1}});
        const BatchReport<> report = batch_write(*client, all);
        EXPECT_EQ(report.items, all.size());
        EXPECT_EQ(report.done + report.leftovers.size(), all.size());
        std::vector<const Failure*> left(all.size());
        for (const Leftover& one : report.leftovers) left[one.index] = &one.failure;
        for (int number = first; number < end; ++number) {
            const Failure* const failure = left[static_cast<std::size_t>(number - first)];
            if (failure) books.note(number, *failure);
            else books.note_done(number);
        }
    }
};

TEST_F(DynamoAccountBatches, are_finished_whatever_is_left_over) {
    Books books{"batch_write", writes()};
    write_batches(books, stubborn_plan());
    expect_the_truth(books, stubborn);
    write_row(books, stubborn);
    EXPECT_EQ(books.ends().done, books.writes());
}

TEST_F(DynamoAccountBatches, are_finished_under_the_default_plan_too) {
    Books books{"batch_write", writes()};
    write_batches(books, {});
    expect_the_truth(books, defaults);
    write_row(books, defaults);
    EXPECT_GE(books.ends().done, books.writes() * 999 / 1000);
}

TEST_F(DynamoAccountBatches, are_read_in_the_order_they_were_asked_for) {
    const LeftoverServer busy{server->port()};
    begin(stubborn_plan(), busy.address());
    BatchWrite all{"orders", {"pk"}};
    for (int number = 0; number < 500; ++number)
        all.put({{"pk", "i" + std::to_string(number)}, {"n", number}});
    ASSERT_TRUE(batch_write(*client, all).complete());
    BatchGet wanted{"orders"};
    for (int number = 599; number >= 0; --number)  // a hundred are not there
        wanted.key({{"pk", "i" + std::to_string(number)}});
    wanted.key({{"pk", "i7"}}).consistent();  // asked for before
    const int left = busy.left();
    const auto report = batch_get(*client, wanted);
    EXPECT_TRUE(report.complete());
    EXPECT_GT(busy.left(), left);
    ASSERT_EQ(report.values.size(), 601u);
    for (int place = 0; place < 601; ++place) {
        const int number = place == 600 ? 7 : 599 - place;
        const auto& value = report.values[static_cast<std::size_t>(place)];
        ASSERT_TRUE(value) << place;
        ASSERT_EQ(value->has_value(), number < 500) << place;
        if (*value) {
            EXPECT_EQ((*value)->get<int>("n").value_or(-1), number);
        }
    }
}

}  // namespace
}  // namespace perdure::live
