// SPDX-License-Identifier: Apache-2.0
//
// Does a load into DynamoDB keep what every target promises, and what is its own?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "live/support/dynamo_server.hpp"
#include "load/dynamodb_target.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/query.hpp"
#include "perdure/dynamodb/wait.hpp"
#include "tools/load_orders.hpp"

namespace tool::load {
namespace {

namespace dynamodb = perdure::dynamodb;
using dynamodb::Item;
using perdure::Effect;
using perdure::live::Dynamo;
using perdure::live::DynamoServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A local server makes and drops tables in no time.
const dynamodb::WaitOptions at_once{.every = std::chrono::milliseconds{5}};

std::shared_ptr<dynamodb::Credentials> some_keys() {
    return dynamodb::fixed_credentials({"AKIDEXAMPLE", "secret"});
}

DynamoServer& server() {
    static DynamoServer one{Dynamo::dynoxide};
    return one;
}

// Each test has a table of its own in one server; the ledger is that of all.
class LoadDynamoTarget : public ::testing::Test {
protected:
    void SetUp() override {
        if (!DynamoServer::missing(Dynamo::dynoxide).empty())
            GTEST_SKIP() << DynamoServer::missing(Dynamo::dynoxide);
        static int tables = 0;
        table = "table" + std::to_string(++tables);
        client = std::make_unique<dynamodb::Client>(dynamodb::ClientOptions{
            .region = "eu-west-1", .endpoint = server().url(), .credentials = some_keys()});
    }
    [[nodiscard]] std::unique_ptr<Target> open(DynamoTargetOptions options = {}) const {
        options.url = {.table = table, .region = "eu-west-1", .endpoint = server().url()};
        options.credentials = some_keys();
        auto target = open_dynamodb_target(options);
        EXPECT_TRUE(target) << to_string(target.error());
        return *std::move(target);
    }
    // With its table and its ledger.
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key,
                                                DynamoTargetOptions options = {}) const {
        auto target = open(std::move(options));
        const Schema schema = test_schema(key);
        if (const auto made = target->create(schema); !made)
            ADD_FAILURE() << to_string(made.error());
        target->use(schema);
        if (const auto opened = target->open_ledger(); !opened)
            ADD_FAILURE() << to_string(opened.error());
        return target;
    }
    static Range write(Target& target, const Order& order) {
        const auto entered = target.enter(*order.source);
        EXPECT_TRUE(entered) << to_string(entered.error());
        auto written = target.write(order, {});
        if (!written) ADD_FAILURE() << to_string(written.error());
        return written.value_or(Range{});
    }
    static std::string refusal(Target& target, const Order& order) {
        EXPECT_TRUE(target.enter(*order.source));
        const auto written = target.write(order, {});
        return written ? "written" : written.error().code;
    }
    [[nodiscard]] std::size_t ledger_items(const std::string& source) const {
        const auto page = client->send(dynamodb::Query{"perdure_load"}
                                           .key("id = :id")
                                           .value(":id", table + "#" + source)
                                           .consistent());
        return page ? page->items.size() : 9999;
    }

    std::string table;
    std::unique_ptr<dynamodb::Client> client;
};

std::string shown(const Value& value) {
    switch (value.kind) {
        case ValueKind::null: return "null";
        case ValueKind::boolean: return value.integer != 0 ? "true" : "false";
        case ValueKind::integer: return std::to_string(value.integer);
        case ValueKind::real: return ::testing::PrintToString(value.real);
        case ValueKind::text: return "'" + std::string{value.text} + "'";
    }
    return {};
}

// All rows by their first column.
std::map<std::string, std::string> rows_of(Target& target) {
    std::map<std::string, std::string> rows;
    const auto scanned = target.scan([&](std::span<const Value> row) -> Result<void> {
        std::string rest;
        for (const Value& value : row.subspan(1)) rest += (rest.empty() ? "" : " ") + shown(value);
        EXPECT_TRUE(rows.emplace(shown(row[0]), rest).second) << "twice: " << shown(row[0]);
        return {};
    });
    if (!scanned) ADD_FAILURE() << to_string(scanned.error());
    return rows;
}

TEST_F(LoadDynamoTarget, knows_nothing_of_a_table_that_is_not_there) {
    auto target = open();
    const auto facts = target->look();
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_FALSE(facts->has_value());
    const auto done = target->done("never.csv");
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_THAT(*done, IsEmpty());
    EXPECT_FALSE(target->entry("never.csv")->has_value());
}

TEST_F(LoadDynamoTarget, tells_the_key_of_a_table_and_nothing_else) {
    ASSERT_TRUE(ensure_table(
        *client, dynamodb::CreateTable{table, "pk", {"sk", dynamodb::KeyType::number}}, at_once));
    const auto facts = open()->look();
    ASSERT_TRUE(facts && *facts);
    ASSERT_EQ((*facts)->columns.size(), 2u);
    EXPECT_EQ((*facts)->columns[0].name, "pk");
    EXPECT_EQ((*facts)->columns[0].type, Type::text);
    EXPECT_TRUE((*facts)->columns[0].required);
    EXPECT_EQ((*facts)->columns[1].type, Type::real);
    EXPECT_THAT((*facts)->unique, IsEmpty()) << "neither of them alone";
    EXPECT_EQ((*facts)->rows, 0u);
}

TEST_F(LoadDynamoTarget, refuses_a_binary_key_with_a_clear_word) {
    ASSERT_TRUE(ensure_table(
        *client, dynamodb::CreateTable{table, {"id", dynamodb::KeyType::binary}}, at_once));
    const auto facts = open()->look();
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, "not-loadable");
}

TEST_F(LoadDynamoTarget, finds_the_key_again_that_it_made) {
    auto target = open();
    EXPECT_THAT(target->create_statement(test_schema(0)),
                HasSubstr("AttributeName=id,AttributeType=N"));
    ASSERT_TRUE(target->create(test_schema(0)));
    const auto facts = target->look();
    ASSERT_TRUE(facts && *facts);
    EXPECT_THAT((*facts)->unique, ElementsAre("id"));
    EXPECT_TRUE(target->create(test_schema(0))) << "once more does no harm";
    EXPECT_FALSE(target->create(test_schema(3))) << "truths cannot be keys";
}

TEST_F(LoadDynamoTarget, writes_rows_and_their_range_as_one) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Order first = orders.make({{1, "one", 0.5}, {2, std::nullopt, 2, false}});
    Range expected = first.range;
    expected.written = 2;
    EXPECT_EQ(write(*target, first), expected);
    EXPECT_THAT(rows_of(*target),
                ElementsAre(std::pair{"1", "'one' 0.5 true"}, std::pair{"2", "null 2 false"}));
    const Order second = orders.make({{3, "three"}});
    write(*target, second);
    const auto done = target->done("input.csv");
    ASSERT_TRUE(done);
    ASSERT_EQ(done->size(), 2u);
    EXPECT_EQ((*done)[0], expected);
    EXPECT_EQ((*done)[1].begin, second.range.begin);
    EXPECT_EQ(*target->count(), 3u);
}

TEST_F(LoadDynamoTarget, gives_every_value_back_as_it_was) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    std::vector<TestRecord> records;
    std::int64_t id = 0;
    for (const char* text : {"", "NULL", "null", "a,b", "{}", "\"", "\\", "\\\"", "'", "a\nb\t",
                             "é😀", " x ", "$1", "?", "--", "%s"})
        records.push_back({.id = ++id, .name = text});
    for (const double real : {0.1, -1e120, 5e-120, 1.7976931348623157e108, 123456789012345678.0})
        records.push_back({.id = ++id, .size = real});
    records.push_back({.id = INT64_MIN});
    records.push_back({.id = INT64_MAX});
    const Order order = orders.make(records);
    EXPECT_EQ(write(*target, order).written, records.size());
    std::vector<Value> keys;
    for (std::size_t i = 0; i < order.count; ++i) keys.push_back(order.rows->row(i)[0]);
    std::size_t equal = 0;
    const auto found = target->find(keys, [&](std::span<const Value> back) -> Result<void> {
        for (std::size_t i = 0; i < order.count; ++i) {
            const auto sent = order.rows->row(i);
            if (sent[0].integer != back[0].integer) continue;
            for (std::size_t c = 0; c < 4; ++c)
                EXPECT_TRUE(same(test_schema(0).columns[c].type, sent[c], back[c]))
                    << shown(sent[c]) << " became " << shown(back[c]);
            ++equal;
        }
        return {};
    });
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(equal, records.size());
}

TEST_F(LoadDynamoTarget, keeps_what_was_rejected_with_place_and_text) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    SourceEntry entry = orders.source();
    entry.header = "id;name";
    entry.format = Format::csv;
    ASSERT_TRUE(target->enter(entry));
    write(*target, orders.make({{1, "fine"}}));
    const Range range = write(
        *target, orders.with_rejected({{2, "fine"}, {3, std::string{"br\xffken"}}}, "because"));
    EXPECT_EQ(range.written, 1u);
    EXPECT_EQ(range.rejected, 1u);
    std::string kept;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        kept += std::to_string(one.offset) + ":" + std::to_string(one.line) + " " + one.reason +
                " " + one.record + " " + one.header + (one.format == Format::csv ? " csv" : "") +
                "|";
        return {};
    }));
    EXPECT_EQ(kept, "14:3 because 3;br\xffken id;name csv|");
}

TEST_F(LoadDynamoTarget, writes_nothing_of_a_range_that_is_taken) {
    auto target = ready(std::nullopt);
    auto other = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Order order = orders.make({{1, "one"}});
    write(*target, order);
    EXPECT_EQ(refusal(*other, order), "taken");
    EXPECT_EQ(*target->count(), 1u);
    Orders elsewhere{"other.csv"};
    EXPECT_EQ(refusal(*other, elsewhere.make({{1, "one"}})), "written");
}

TEST_F(LoadDynamoTarget, lets_only_the_last_who_entered_an_input_go_on_with_it) {
    auto first = ready(std::nullopt);
    auto second = ready(std::nullopt, {.workers = 2});
    Orders orders{"input.csv"};
    const auto early = first->write(orders.make({{1, "one"}}), {});
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, "taken");
    EXPECT_EQ(write(*first, orders.make({{2, "two"}})).written, 1u);
    EXPECT_EQ(write(*second, orders.make({{3, "three"}})).written, 1u);
    const Order more = orders.make({{4, "four"}});
    const auto late = first->write(more, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "taken");
    EXPECT_EQ(late.error().effect, Effect::none);
    EXPECT_TRUE(first->merge("input.csv", 0, orders.end())) << "left to the other";
    EXPECT_EQ(*first->count(), 2u);
    EXPECT_EQ(first->done("input.csv")->size(), 2u);
    EXPECT_EQ(write(*first, more).written, 1u) << "who enters again holds it again";
    EXPECT_EQ(second->write(orders.make({{5, "five"}}), {}).error().code, "taken");
}

TEST_F(LoadDynamoTarget, tells_rows_that_are_there_from_those_that_differ) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}, {2, "two"}, {3, std::nullopt}}));
    for (const char* with : {"a cancelled transaction", "a look beforehand"}) {
        SCOPED_TRACE(with);
        const std::int64_t fresh = with[2] == 'c' ? 4 : 5;
        const Range range = write(*target, orders.make({{1, "one"},         // present
                                                        {2, "zwei"},        // differs
                                                        {3, std::nullopt},  // present
                                                        {fresh, "new"},     // new
                                                        {fresh, "new"},     // twice
                                                        {fresh, "neu"}}));  // and differs
        EXPECT_EQ(range.written, 1u);
        EXPECT_EQ(range.present, 3u);
        EXPECT_EQ(range.rejected, 2u);
        EXPECT_EQ(target->done("input.csv")->back(), range);
    }
    EXPECT_EQ(rows_of(*target).at("2"), "'two' 0 true");
    EXPECT_EQ(*target->count(), 5u);
    std::string lines;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        lines += std::to_string(one.line) + ' ';
        EXPECT_EQ(one.reason, "its key is there with other values");
        return {};
    }));
    EXPECT_EQ(lines, "5 9 11 15 ");
}

TEST_F(LoadDynamoTarget, takes_98_records_at_once_and_asks_for_less_of_more) {
    auto target = ready(0);
    ASSERT_EQ(target->most_records(), 98u);
    Orders orders{"input.csv"};
    const auto records = [](std::int64_t first, int count, const std::string& name) {
        std::vector<TestRecord> made;
        for (int i = 0; i < count; ++i) made.push_back({.id = first + i, .name = name});
        return made;
    };
    EXPECT_EQ(refusal(*target, orders.make(records(0, 99, "n"))), "record");
    const std::string much(90 * 1024, 'x');
    EXPECT_EQ(refusal(*target, orders.make(records(0, 60, much))), "record") << "over 4 MB";
    EXPECT_EQ(*target->count(), 0u);
    EXPECT_EQ(write(*target, orders.make(records(0, 98, "n"))).written, 98u);
    Orders again{"again.csv"};
    EXPECT_EQ(write(*target, again.make(records(0, 98, "n"))).present, 98u);
    EXPECT_EQ(write(*target, orders.make(records(1000, 30, much))).written, 30u);
}

TEST_F(LoadDynamoTarget, rejects_what_cannot_be_an_item_without_asking) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    const Range range = write(
        *target,
        orders.make(
            {{1, "one"}, {2, std::string(410 * 1024, 's')}, {3, "three", 1e300}, {4, "four"}}));
    EXPECT_EQ(range.written, 2u);
    EXPECT_EQ(range.rejected, 2u);
    std::string reasons;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        reasons += one.reason + "\n";
        return {};
    }));
    EXPECT_THAT(reasons, HasSubstr("only its first"));
    EXPECT_EQ(reasons.find("sss"), std::string::npos);
}

TEST_F(LoadDynamoTarget, does_not_blame_the_record_for_what_is_wrong_with_the_table) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    ASSERT_TRUE(ensure_gone(*client, table, at_once));
    const auto gone = target->write(orders.make({{2, "two"}}), {});
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.error().code, "record") << to_string(gone.error());
    EXPECT_EQ(gone.error().effect, Effect::none);
    EXPECT_EQ(target->done("input.csv")->size(), 1u);
}

TEST_F(LoadDynamoTarget, joins_ranges_that_touch_however_many) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    std::vector<Order> all;
    for (int i = 0; i < 250; ++i) all.push_back(orders.make({{i, "x"}}));
    ASSERT_TRUE(target->enter(orders.source()));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i != 248) {
            ASSERT_TRUE(target->write(all[i], {}));
        }
    const auto gap = target->merge("input.csv", 0, orders.end());
    ASSERT_FALSE(gap);
    EXPECT_EQ(gap.error().code, "ledger-gap");
    ASSERT_TRUE(target->merge("input.csv", 0, all[247].range.end));
    const auto done = *target->done("input.csv");
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].records, 248u);
    EXPECT_EQ(done[0].written, 248u);
    EXPECT_EQ(done[0].end, all[247].range.end);
    EXPECT_EQ(done[1].begin, all[249].range.begin);
    EXPECT_EQ(target->write(all[0], {}).error().code, "taken");
}

TEST_F(LoadDynamoTarget, remembers_an_input_until_it_is_told_to_forget) {
    auto target = ready(std::nullopt);
    EXPECT_FALSE(target->entry("input.csv")->has_value());
    const SourceEntry first{.name = "input.csv",
                            .head_bytes = 7,
                            .head = "0123456789abcdef",
                            .rows_before = 3,
                            .format = Format::csv,
                            .header = "a,b"};
    EXPECT_EQ(target->enter(first)->head, first.head);
    const auto second = target->enter({.name = "input.csv", .head = "other"});
    EXPECT_EQ(second->head, first.head);
    EXPECT_EQ(second->rows_before, 3u);
    EXPECT_EQ(second->header, "a,b");
    EXPECT_EQ(second->format, Format::csv);
    EXPECT_EQ((*target->entry("input.csv"))->head_bytes, 7u);
    Orders orders{"input.csv"};
    write(*target, orders.with_rejected({{1, "x"}, {2, "y"}}, "no"));
    auto other = ready(std::nullopt);
    const auto forgotten = other->forget("input.csv");
    ASSERT_TRUE(forgotten) << to_string(forgotten.error());
    EXPECT_FALSE(target->entry("input.csv")->has_value());
    EXPECT_EQ(ledger_items("input.csv"), 0u);
    EXPECT_EQ(target->write(orders.make({{3, "z"}}), {}).error().code, "taken");
    EXPECT_EQ(*target->count(), 1u) << "the rows stay";
    ASSERT_TRUE(other->enter(orders.source()));
    EXPECT_THAT(*other->done("input.csv"), IsEmpty());
}

TEST_F(LoadDynamoTarget, writes_from_many_threads_what_each_was_given) {
    constexpr int threads = 8;
    auto target = ready(0, {.workers = threads});
    std::deque<Orders> orders;
    for (int i = 0; i < threads; ++i) orders.emplace_back("input" + std::to_string(i));
    for (const Orders& one : orders) ASSERT_TRUE(target->enter(one.source()));
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                const auto written = target->write(
                    orders[static_cast<std::size_t>(t)].make({{t * 1000 + i, "x"}}), {});
                EXPECT_TRUE(written) << to_string(written.error());
            }
        });
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(*target->count(), threads * 20u);
    EXPECT_GE(target->counts().attempts, threads * 20u);
    EXPECT_GT(target->counts().budget, 0);
}

TEST_F(LoadDynamoTarget, stops_when_it_is_told_to) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = target->write(orders.make({{1, "one"}}), stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().cause, perdure::Cause::cancelled);
    EXPECT_EQ(*target->count(), 0u);
}

}  // namespace
}  // namespace tool::load
