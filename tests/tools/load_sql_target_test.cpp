// SPDX-License-Identifier: Apache-2.0
//
// Does a load into SQLite keep what every target promises, and what do only its pieces show?
#include <filesystem>

#include "load/target/digest.hpp"
#include "load/target/sql/sql_dialect.hpp"
#include "load/target/sql/sql_insert.hpp"
#include "tools/load_sql_target_contract.hpp"

namespace tool::load {

ContractPlace contract_place(const std::string&) {
    struct Folder {
        Folder() {
            std::string name = ::testing::TempDir() + "/load-target-XXXXXX";
            path = ::mkdtemp(name.data());
        }
        ~Folder() { std::filesystem::remove_all(path); }
        std::filesystem::path path;
    };
    auto folder = std::make_shared<Folder>();
    return {.url = "sqlite:" + (folder->path / "t.db").string(), .holds = folder};
}

INSTANTIATE_TEST_SUITE_P(Sqlite, SqlTarget, ::testing::Values("sqlite"));

namespace {

std::unique_ptr<TargetPlace> sqlite_place() {
    return std::make_unique<SqlPlace>(contract_place("sqlite"));
}

INSTANTIATE_TEST_SUITE_P(Sqlite, LoadContract,
                         ::testing::Values(PlaceMaker{"sqlite", sqlite_place}));

TEST(Same, compares_by_the_type_of_the_column) {
    struct Row {
        Type type;
        Value sent;
        Value back;
        bool same;
    };
    const std::vector<Row> table{
        {Type::integer, Value{std::int64_t{7}}, Value{std::int64_t{7}}, true},
        {Type::integer, Value{std::int64_t{7}}, Value{std::int64_t{8}}, false},
        {Type::integer, Value{std::int64_t{7}}, Value{std::string_view{"7"}}, false},
        {Type::integer, Value{}, Value{}, true},
        {Type::integer, Value{}, Value{std::int64_t{0}}, false},
        {Type::boolean, Value{true}, Value{std::int64_t{1}}, true},
        {Type::boolean, Value{false}, Value{std::int64_t{1}}, false},
        {Type::real, Value{std::int64_t{2}}, Value{2.0}, true},
        {Type::real, Value{0.1}, Value{0.1}, true},
        {Type::real, Value{0.0}, Value{-0.0}, true},
        {Type::real, Value{0.1}, Value{0.2}, false},
        {Type::text, Value{std::string_view{"a"}}, Value{std::string_view{"a"}}, true},
        {Type::text, Value{std::string_view{"a"}}, Value{std::string_view{"A"}}, false},
        {Type::text, Value{std::string_view{""}}, Value{}, false},
        {Type::json, Value{std::string_view{"[1]"}}, Value{std::string_view{"[ 1]"}}, false},
        {Type::other, Value{std::string_view{"1"}}, Value{}, true},
        {Type::numeric, Value{std::string_view{"1.50"}}, Value{std::string_view{"1.5000"}}, true},
        {Type::numeric, Value{std::string_view{"1.50"}}, Value{std::string_view{"1.51"}}, false},
        {Type::uuid, Value{std::string_view{"0123ABCD-0000-0000-0000-00000000ffff"}},
         Value{std::string_view{"0123abcd-0000-0000-0000-00000000ffff"}}, true},
        {Type::timestamptz, Value{std::string_view{"2026-01-01 01:00:00+02:00"}},
         Value{std::string_view{"2025-12-31T23:00:00.000000Z"}}, true},
        {Type::timestamp, Value{std::string_view{"2026-01-01T01:00:00"}},
         Value{std::string_view{"2026-01-01 01:00:01"}}, false},
        {Type::date, Value{std::string_view{"2026-01-01"}}, Value{}, false},
    };
    for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(same(table[i].type, table[i].sent, table[i].back), table[i].same) << "row " << i;
        if (!has_one_form(table[i].type)) continue;
        EXPECT_EQ(value_digest(table[i].type, table[i].sent) ==
                      value_digest(table[i].type, table[i].back),
                  table[i].same)
            << "digest of row " << i;
    }
}

TEST(SqlDialect, quotes_any_name) {
    const Dialect& postgres = dialect_of(sql::Product::postgres);
    const Dialect& mariadb = dialect_of(sql::Product::mariadb);
    EXPECT_EQ(quoted(postgres, "a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(quoted(mariadb, "a`b\"é"), "`a``b\"é`");
    EXPECT_EQ(quoted(postgres, *parse_table("s.t")), "\"s\".\"t\"");
    for (const char* wrong : {"", ".", "a.", ".a", "a.b.c"})
        EXPECT_FALSE(parse_table(wrong)) << wrong;
}

TEST(LoadSqlDialect, refuses_names_of_tables_that_the_database_would_cut) {
    const auto fits = [](sql::Product product, const std::string& table) {
        return check_length(dialect_of(product), {.schema = {}, .table = table}).has_value();
    };
    const std::string longest(63, 't');
    EXPECT_TRUE(fits(sql::Product::postgres, longest));
    EXPECT_FALSE(fits(sql::Product::postgres, longest + "t"));
    EXPECT_FALSE(fits(sql::Product::postgres, std::string(62, 't') + "é")) << "bytes count";
    EXPECT_TRUE(fits(sql::Product::mariadb, longest + "é")) << "characters count";
    EXPECT_FALSE(fits(sql::Product::mariadb, longest + "té"));
    EXPECT_TRUE(fits(sql::Product::sqlite, std::string(500, 't')));
    EXPECT_FALSE(check_length(dialect_of(sql::Product::postgres), {longest + "s", "t"}));
}

TEST(SqlDialect, sends_many_rows_in_few_statements_of_few_kinds) {
    const Dialect& sqlite = dialect_of(sql::Product::sqlite);
    EXPECT_THAT(pieces(sqlite, 1000, 5), ElementsAre(1000));
    EXPECT_THAT(pieces(sqlite, 873, 5), ElementsAre(800, 73));
    EXPECT_THAT(pieces(sqlite, 73, 5), ElementsAre(73));
    EXPECT_THAT(pieces(sqlite, 1000, 100), ElementsAre(327, 327, 327, 19));
    EXPECT_THAT(pieces(sqlite, 2, 40'000), ElementsAre(1, 1));
    EXPECT_THAT(pieces(sqlite, 0, 5), IsEmpty());
}

TEST(SqlDialect, tells_errors_of_a_record_from_all_others) {
    struct Row {
        sql::Product product;
        std::vector<const char*> of_record;
        std::vector<const char*> of_others;
    };
    const std::vector<Row> table{
        {sql::Product::postgres,
         {"22001", "22003", "22P02", "23502", "23505", "23514", "54000", "P0001"},
         {"42P01", "42703", "42501", "25006", "53100", "28P01", "40001", "57P01", "", "2"}},
        {sql::Product::mariadb,
         {"1048", "1062", "1264", "1366", "1406", "1452", "4025"},
         {"1146", "1054", "1142", "1290", "1114", "1045", "1213", "2013", ""}},
        {sql::Product::sqlite,
         {"18", "19", "20", "275", "1299", "1555", "2067"},
         {"1", "5", "8", "10", "13", "14", "778", "", "planned"}},
    };
    for (const Row& row : table) {
        for (const char* code : row.of_record)
            EXPECT_TRUE(is_about_record(row.product, code)) << code;
        for (const char* code : row.of_others)
            EXPECT_FALSE(is_about_record(row.product, code)) << code;
    }
}

TEST(SqlDialect, knows_a_table_that_another_makes_at_the_same_time) {
    for (const char* code : {"23505", "42710", "42P07"}) {
        EXPECT_TRUE(is_made_by_another(sql::Product::postgres, code)) << code;
        EXPECT_FALSE(is_made_by_another(sql::Product::sqlite, code)) << code;
    }
    EXPECT_FALSE(is_made_by_another(sql::Product::postgres, "42501"));
}

TEST(SqlTargetOpen, refuses_what_it_cannot_load_without_quoting_the_url) {
    EXPECT_FALSE(open_sql_target({.url = "odbc:DSN=x;PWD=secret", .table = "t"}));
    EXPECT_FALSE(open_sql_target({.url = "nonsense", .table = "t"}));
    EXPECT_FALSE(open_sql_target({.url = "sqlite:x.db", .table = "a.b.c"}));
}

}  // namespace
}  // namespace tool::load
