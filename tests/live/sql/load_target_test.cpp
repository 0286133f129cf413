// SPDX-License-Identifier: Apache-2.0
//
// Does a load into PostgreSQL and MariaDB keep what every target promises, and what is their own?
#include "live/support/mariadb.hpp"
#include "live/support/postgres.hpp"
#include "tools/load_sql_target_contract.hpp"

namespace tool::load {

using perdure::live::Mariadb;
using perdure::live::Postgres;

namespace {

ContractPlace empty_postgres() {
    if (!Postgres::missing().empty()) return {.missing = Postgres::missing()};
    static Postgres server;
    server.sql("drop schema public cascade; create schema public");
    return {.url = server.url()};
}

ContractPlace empty_mariadb() {
    if (!Mariadb::missing().empty()) return {.missing = Mariadb::missing()};
    static Mariadb server;
    static int made = 0;
    const std::string name = "load" + std::to_string(++made);
    server.sql("create database " + name, "mysql");
    return {.url = server.url("root", name)};
}

std::unique_ptr<TargetPlace> postgres_place() {
    return std::make_unique<SqlPlace>(empty_postgres());
}

std::unique_ptr<TargetPlace> mariadb_place() { return std::make_unique<SqlPlace>(empty_mariadb()); }

}  // namespace

ContractPlace contract_place(const std::string& name) {
    return name == "postgres" ? empty_postgres() : empty_mariadb();
}

INSTANTIATE_TEST_SUITE_P(Server, LoadContract,
                         ::testing::Values(PlaceMaker{"postgres", postgres_place},
                                           PlaceMaker{"mariadb", mariadb_place}),
                         [](const auto& which) { return std::string{which.param.name}; });
INSTANTIATE_TEST_SUITE_P(Server, SqlTarget, ::testing::Values("postgres", "mariadb"),
                         [](const auto& which) { return std::string{which.param}; });

TEST_P(SqlTarget, takes_keys_as_the_table_takes_them) {
    run(is("postgres") ? "create table t (id bigint, code uuid primary key)"
                       : "create table t (id bigint, code varchar(40) primary key) "
                         "character set utf8mb4 collate utf8mb4_general_ci");
    auto target = open();
    const auto facts = target->look();
    ASSERT_TRUE(facts && *facts);
    Schema schema{.columns = (*facts)->columns, .key = 1};
    target->use(schema);
    ASSERT_TRUE(target->open_ledger());
    Batch batch{.bytes = "a\nb\n", .records = {{0, 1, 1}, {2, 3, 2}}};
    batch.end = 4;
    batch.lines = 2;
    const std::string_view upper = "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11";
    const std::string_view lower = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    Rows rows{
        .width = 2,
        .values = {Value{std::int64_t{1}}, Value{upper}, Value{std::int64_t{1}}, Value{lower}},
        .records = {0, 1}};
    const SourceEntry source{.name = "input"};
    Order order{.source = &source, .batch = &batch, .rows = &rows, .count = 2};
    order.range = {.begin = 0, .end = 4, .records = 2};
    // To PostgreSQL they are one value, which a load knows; MariaDB keeps letters as they came.
    if (is("postgres")) {
        const Range both = write(*target, order);
        EXPECT_EQ(both.written, 1u);
        EXPECT_EQ(both.present, 1u);
        EXPECT_EQ(*target->count(), 1u);
        return;
    }
    EXPECT_EQ(refusal(*target, order), "record");
    order.count = 1;
    order.range = {.begin = 0, .end = 2, .records = 1};
    EXPECT_EQ(write(*target, order).written, 1u);
    order.first = 1;
    order.range = {.begin = 2, .end = 4, .records = 1};
    const Range second = write(*target, order);
    EXPECT_EQ(second.present, 0u);
    EXPECT_EQ(second.rejected, 1u);
    EXPECT_EQ(*target->count(), 1u);
}

TEST_P(SqlTarget, keeps_json_as_it_was_written) {
    auto target = open();
    const Schema schema{
        .columns = {{.name = "id", .type = Type::integer}, {.name = "doc", .type = Type::json}}};
    ASSERT_TRUE(target->create(schema));
    target->use(schema);
    ASSERT_TRUE(target->open_ledger());
    const std::string_view text = R"({"b": 1.0, "a":[ 1,"\u00e9\\" ] })";
    Batch batch{.end = 2, .bytes = "a\n", .records = {{0, 1, 1}}};
    Rows rows{.width = 2, .values = {Value{std::int64_t{1}}, Value{text}}, .records = {0}};
    const SourceEntry source{.name = "input"};
    const Order order{.source = &source,
                      .batch = &batch,
                      .rows = &rows,
                      .count = 1,
                      .range = {.begin = 0, .end = 2, .records = 1}};
    EXPECT_EQ(write(*target, order).written, 1u);
    EXPECT_THAT(rows_of(*target), ElementsAre(std::pair{"1", "'" + std::string{text} + "'"}));
}

TEST_P(SqlTarget, blames_the_record_also_when_only_COMMIT_tells) {
    if (!is("postgres")) GTEST_SKIP() << "has no deferred constraints";
    run("create table parent (id bigint primary key)");
    run("create table t (id bigint references parent deferrable initially deferred, name text, "
        "size "
        "double precision, good boolean)");
    auto target = open();
    Schema schema = test_schema(std::nullopt);
    schema.columns[1].name = "name";
    target->use(schema);
    ASSERT_TRUE(target->open_ledger());
    Orders orders{"input.csv"};
    EXPECT_EQ(refusal(*target, orders.make({{1, "one"}})), "record");
    EXPECT_THAT(*target->done("input.csv"), IsEmpty());
}

TEST_P(SqlTarget, refuses_tables_that_know_no_transactions) {
    if (!is("mariadb")) GTEST_SKIP() << "has none";
    run("create table t (id bigint) engine=MyISAM");
    const auto facts = open()->look();
    ASSERT_FALSE(facts);
    EXPECT_THAT(facts.error().message, HasSubstr("transactions"));
}

TEST_P(SqlTarget, puts_the_ledger_beside_a_table_of_another_schema) {
    run(is("postgres") ? "create schema other" : "create database if not exists other");
    auto target = ready(0, {.table = "other.t"});
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    EXPECT_EQ(ask("select count(*) from other.perdure_load_range"), "1");
    EXPECT_EQ(*target->count(), 1u);
    run(is("postgres") ? "drop schema other cascade" : "drop database other");
}

}  // namespace tool::load
