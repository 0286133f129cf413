// SPDX-License-Identifier: Apache-2.0
//
// Are all rows there, and are they told clearly when there are too many of them?
#include "perdure/sql/rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sql/bank.hpp"

namespace perdure::sql {
namespace {

Rows gathered(RowBuffer& buffer, int rows) {
    const std::array<std::string_view, 2> names{"id", "name"};
    EXPECT_TRUE(buffer.columns(names));
    for (int i = 0; i < rows; ++i) {
        const std::string name = "name " + std::to_string(i);  // gone after this turn
        const std::array cells{Cell::of(std::int64_t{i}), Cell::text(name)};
        EXPECT_TRUE(buffer.row(cells));
    }
    return buffer.take();
}

TEST(Rows, hold_their_own_copy_of_every_text) {
    RowBuffer buffer{1u << 20u};
    const Rows rows = gathered(buffer, 1'000);
    ASSERT_EQ(rows.size(), 1'000u);
    std::int64_t next = 0;
    for (const Row row : rows) {
        EXPECT_EQ(row.get<std::int64_t>("id").value(), next);
        EXPECT_EQ(row.get<std::string>(1).value(), "name " + std::to_string(next));
        ++next;
    }
}

TEST(Rows, stay_where_they_are_when_moved) {
    RowBuffer buffer{1u << 20u};
    Rows first = gathered(buffer, 3);
    const Rows second = std::move(first);
    EXPECT_EQ(second.at(2).get<std::string>("name").value(), "name 2");
}

TEST(Rows, know_their_columns_also_when_there_are_no_rows) {
    Bank bank;
    const auto rows = bank.database.query("select id, id + 1 as next from thing");
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->empty());
    EXPECT_EQ(rows->size(), 0u);
    ASSERT_EQ(rows->columns().size(), 2u);
    EXPECT_EQ(rows->columns()[1], "next");
    EXPECT_EQ(rows->begin(), rows->end());
}

TEST(Rows, say_which_columns_there_are_when_asked_for_another) {
    RowBuffer buffer{1u << 20u};
    const Rows rows = gathered(buffer, 1);
    for (const auto& failure :
         {rows.at(0).get<int>("nmae").error(), rows.at(0).get<int>(2).error()}) {
        EXPECT_EQ(failure.code, "no-column");
        EXPECT_NE(failure.message.find("id, name"), std::string::npos) << failure.message;
    }
}

TEST(Rows, give_a_single_value_only_of_a_single_row) {
    Bank bank;
    EXPECT_EQ(bank.database.query("select 7")->single<int>().value(), 7);
    EXPECT_EQ(bank.database.query("select id from thing")->single<int>().error().code,
              "not-single");
    EXPECT_EQ(bank.database.query("select 1 union select 2")->single<int>().error().code,
              "not-single");
}

TEST(Rows, are_asked_for_again_from_the_start_when_the_link_is_lost_midway) {
    Bank bank;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(bank.plain.execute("insert into thing values (?)", i));
    bank.faults.execute({Planned::fail_midway, Planned::fail_after});
    const auto rows = bank.database.query("select id from thing order by id");
    ASSERT_TRUE(rows) << to_string(rows.error());
    EXPECT_EQ(rows->size(), 3u);
    EXPECT_EQ(bank.faults.counts().executions, 3);
}

constexpr std::string_view many =
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) "
    "select i, 'some text' as t from n";

TEST(Rows, beyond_most_bytes_are_too_large_and_nothing_else) {
    Bank bank{{.most_bytes = 100'000}};
    const auto rows = bank.database.query(many);
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().cause, Cause::too_large);
    EXPECT_EQ(rows.error().code, "result-too-large");
    EXPECT_EQ(rows.error().effect, Effect::none);
    EXPECT_EQ(rows.error().stop, perdure::Stop::permanent);
    EXPECT_EQ(rows.error().attempts, 1) << "asking again cannot help";
    EXPECT_NE(rows.error().message.find("100000 bytes"), std::string::npos);
    EXPECT_NE(rows.error().message.find("stream()"), std::string::npos);
    EXPECT_EQ(bank.database.counts().in_use, 0);
    EXPECT_TRUE(bank.database.query("select 1")) << "the session is as good as before";
}

TEST(Rows, beyond_most_bytes_in_a_transaction_are_its_failure) {
    Bank bank{{.most_bytes = 100'000}};
    const auto done = transact(bank.database, {}, [](Transaction& tx) -> Result<Cause> {
        const auto rows = tx.query(many);
        PERDURE_TRY(tx.execute("insert into thing values (1)"));
        return rows ? Cause::internal : Cause{rows.error().cause};
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::too_large);
    EXPECT_EQ(bank.things(), 0);
}

TEST(Rows, of_a_stream_have_no_limit) {
    Bank bank{{.most_bytes = 100}};
    std::int64_t sum = 0;
    const auto add = [&](const Row& row) -> Result<void> {
        PERDURE_TRY_VALUE(const auto i, row.get<std::int64_t>("i"));
        sum += i;
        return {};
    };
    const auto done = bank.database.stream(add, many);
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(done->affected, 10'000);
    EXPECT_EQ(sum, 50'005'000);
}

TEST(Rows, of_a_stream_are_asked_for_again_only_before_the_first_was_handed_out) {
    Bank bank;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(bank.plain.execute("insert into thing values (?)", i));
    std::vector<int> seen;
    const auto note = [&](const Row& row) -> Result<void> {
        PERDURE_TRY_VALUE(const int id, row.get<int>(0));
        seen.push_back(id);
        return {};
    };
    bank.faults.execute({Planned::fail_before, Planned::fail_after});
    EXPECT_TRUE(bank.database.stream(note, "select id from thing order by id"));
    EXPECT_EQ(seen, (std::vector{0, 1, 2}));

    seen.clear();
    bank.faults.execute({Planned::fail_midway});
    const auto cut = bank.database.stream(note, "select id from thing order by id");
    ASSERT_FALSE(cut);
    EXPECT_EQ(seen, std::vector{0});
    EXPECT_EQ(cut.error().stop, perdure::Stop::permanent);
    EXPECT_EQ(cut.error().attempts, 1);
    EXPECT_NE(cut.error().message.find("rows had been handed out"), std::string::npos);
}

TEST(Rows, of_a_stream_end_with_the_failure_of_who_takes_them) {
    Bank bank;
    int taken = 0;
    const auto enough = [&](const Row&) -> Result<void> {
        if (++taken < 10) return {};
        return fail({.cause = Cause::invalid, .code = "enough"});
    };
    const auto done = bank.database.stream(enough, many);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "enough");
    EXPECT_EQ(taken, 10);
    EXPECT_TRUE(bank.database.query("select 1"));
    EXPECT_EQ(bank.faults.counts().opens, 1) << "the session is used again";
}

}  // namespace
}  // namespace perdure::sql
