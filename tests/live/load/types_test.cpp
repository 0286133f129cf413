// SPDX-License-Identifier: Apache-2.0
//
// Do dates, timestamps, UUIDs, decimals and booleans of an input find columns of their type, and are they
// recognised when they come again in other letters? Is what a column would cut rejected instead?
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "live/load/support/load_case.hpp"

namespace perdure::live {
namespace {

class LoadTypes : public LoadCase {
protected:
    LoadTypes() { input = "orders.csv"; }

    // Twice the same values: as an export writes them, or in other letters.
    [[nodiscard]] static std::string typed_lines(Twins spelling) {
        const bool other = spelling == Twins::yes;
        std::string text = "id,day,at,seen,amount,paid\n";
        for (int i = 0; i < count; ++i) {
            char line[256];
            const int hour = i % 20;
            std::snprintf(line, sizeof line,
                          other ? "%08X-0000-4000-8000-00000000ABCD,2026-%02d-%02d,2026-01-31 "
                                  "%02d:30:00.250,2026-01-31T%02d:30:00+02:00,"
                                  "1844674407370955%04d.5000,%s\n"
                                : "%08x-0000-4000-8000-00000000abcd,2026-%02d-%02d,2026-01-31T"
                                  "%02d:30:00.25,2026-01-31T%02d:30:00Z,"
                                  "1844674407370955%04d.5,%s\n",
                          static_cast<unsigned>(i), 1 + i % 12, 1 + i % 28, hour,
                          other ? hour + 2 : hour, i,
                          i % 2 == 0 ? (other ? "true" : "True") : (other ? "false" : "False"));
            text += line;
        }
        return text;
    }
    void expect_account(const LoadEnd& end, int written, int present, int rejected) {
        EXPECT_EQ(end.number("account", "written"), written) << end.words();
        EXPECT_EQ(end.number("account", "already_there"), present) << end.words();
        EXPECT_EQ(end.number("account", "rejected"), rejected) << end.words();
    }
    [[nodiscard]] std::string aside() const {
        return read_file(home.file("orders.rejected.jsonl"));
    }
    [[nodiscard]] std::string ask(const std::string& text) {
        const auto rows = direct().query(text);
        if (!rows) return to_string(rows.error());
        return rows->single<std::string>().value_or("not one text");
    }
    [[nodiscard]] std::string type_of_column(const std::string& column) {
        if (GetParam() == "sqlite")
            return ask("select lower(type) from pragma_table_info('orders') where name = '" +
                       column + "'");
        return ask("select cast(data_type as char(40)) from information_schema.columns where "
                   "table_name = 'orders' and column_name = '" +
                   column + "'");
    }

    static constexpr int count = 1'200;
};

TEST_P(LoadTypes, of_columns_are_those_the_database_has_for_them) {
    home.write(input, typed_lines(Twins::no));
    EXPECT_EQ(load({"--create", "--key", "id"}).status, 0);
    const bool sqlite = GetParam() == "sqlite";
    const bool postgres = GetParam() == "postgres";
    const auto trimmed = [&](const std::string& column) {
        std::string type = type_of_column(column);
        return type.substr(0, type.find_last_not_of(' ') + 1);
    };
    EXPECT_EQ(trimmed("day"), sqlite ? "date text" : "date");
    EXPECT_EQ(trimmed("at"), sqlite     ? "timestamp text"
                             : postgres ? "timestamp without time zone"
                                        : "datetime");
    EXPECT_EQ(trimmed("seen"), sqlite     ? "timestamptz text"
                               : postgres ? "timestamp with time zone"
                                          : "varchar");
    EXPECT_EQ(trimmed("amount"), sqlite ? "numeric text" : postgres ? "numeric" : "decimal");
    EXPECT_EQ(trimmed("id"), sqlite ? "uuid text" : postgres ? "uuid" : "char");
}

TEST_P(LoadTypes, are_recognised_when_the_same_values_come_again_in_other_letters) {
    home.write(input, typed_lines(Twins::no));
    const LoadEnd first = load({"--create", "--key", "id", "--verify"});
    EXPECT_EQ(first.status, 0) << first.words();
    expect_account(first, count, 0, 0);
    EXPECT_NE(first.out.find("\"columns_not_compared\":[]"), std::string::npos) << first.words();

    const LoadEnd same = load({"--create", "--key", "id", "--as", "again", "--verify"});
    EXPECT_EQ(same.status, 0) << same.words();
    expect_account(same, 0, count, 0);

    home.write("other.csv", typed_lines(Twins::yes));
    input = "other.csv";
    const LoadEnd other = load({"--create", "--key", "id", "--verify"});
    EXPECT_EQ(other.status, 0) << other.words();
    expect_account(other, 0, count, 0);
    // Without --create the table's own types count, and the database compares.
    const LoadEnd plain = load({"--key", "id", "--as", "plain"});
    EXPECT_EQ(plain.status, 0) << plain.words();
    expect_account(plain, 0, count, 0);
}

TEST_P(LoadTypes, tell_rows_apart_that_differ_in_the_last_digit) {
    const std::string head = "id,day,at,seen,amount\n";
    home.write(input, head + "1,2026-01-31,2026-01-31T10:00:00.000001,2026-01-31T10:00:00Z,"
                             "9007199254740993\n2,2026-01-31,2026-01-31T10:00:00,"
                             "2026-01-31T10:00:00Z,0.1234567890123456789\n");
    EXPECT_EQ(load({"--create", "--key", "id"}).status, 0);
    home.write("other.csv", head + "1,2026-01-31,2026-01-31T10:00:00.000002,"
                                   "2026-01-31T10:00:00Z,9007199254740993\n"
                                   "2,2026-01-31,2026-01-31T10:00:00,2026-01-31T10:00:00Z,"
                                   "0.1234567890123456788\n");
    home.write("third.csv", head + "1,2026-01-31,2026-01-31T10:00:00.000001,"
                                   "2026-01-31T10:00:00Z,9007199254740992.0000000000000000001\n");
    for (const auto& [name, lines] : {std::pair{"other.csv", 2}, {"third.csv", 1}})
        for (const bool create : {true, false}) {
            input = name;
            std::vector<std::string> flags{"--key", "id", "--as", name + std::to_string(create)};
            if (create) flags.emplace_back("--create");
            expect_account(load(flags), 0, 0, lines);
        }
}

TEST_P(LoadTypes, of_a_key_beyond_64_bits_keep_neighbours_apart) {
    std::string text = "id,n\n";
    for (int i = 0; i < 300; ++i)
        text += "18446744073709551" + std::to_string(700 + i) + "," + std::to_string(i) + "\n";
    home.write(input, text);
    expect_account(load({"--create", "--key", "id", "--verify"}), 300, 0, 0);
    const LoadEnd again = load({"--create", "--key", "id", "--as", "again", "--verify"});
    EXPECT_EQ(again.status, 0) << again.words();
    expect_account(again, 0, 300, 0);
    home.write("one.csv", "id,n\n18446744073709551701,1\n");
    input = "one.csv";
    expect_account(load({"--key", "id"}), 0, 1, 0);
}

TEST_P(LoadTypes, that_the_first_thousand_have_and_a_later_one_has_not_reject_that_one) {
    std::string text = "id,day\n";
    for (int i = 1; i <= 1'001; ++i)
        text += std::to_string(i) + (i <= 1'000 ? ",2026-01-31\n" : ",n/a\n");
    home.write(input, text);
    const LoadEnd end = load({"--create", "--key", "id"});
    EXPECT_EQ(end.status, 4) << end.words();
    expect_account(end, 1'000, 0, 1);
    EXPECT_NE(aside().find("\"line\":1002,\"reason\":\"field 'day' holds no date"),
              std::string::npos)
        << aside();
    EXPECT_NE(aside().find("--type day=text"), std::string::npos) << aside();
}

TEST_P(LoadTypes, whose_column_is_too_narrow_are_rejected_by_name_in_one_transaction) {
    place().run(
        "create table orders (id bigint primary key, name varchar(100), price decimal(6,2))" +
        std::string{GetParam() == "mariadb" ? " default character set utf8mb4" : ""});
    std::string text = "id,name,price\n";
    for (int i = 0; i < 500; ++i)
        text += std::to_string(i) + "," + std::string(i < 400 ? 300 : 100, 'x') + ",1.50\n";
    std::string wide;
    for (int i = 0; i < 100; ++i) wide += "€";
    text += "600," + wide + ",1\n601,x,1.005\n602,x" + std::string(100, ' ') + ",1\n";
    home.write(input, text);
    const LoadEnd end = load({"--key", "id"});
    // SQLite ignores lengths and keeps everything.
    if (GetParam() == "sqlite") return expect_account(end, 503, 0, 0);
    EXPECT_EQ(end.status, 4) << end.words();
    expect_account(end, 101, 0, 402);
    EXPECT_NE(aside().find("field 'name' has 300 characters, its column holds 100"),
              std::string::npos);
    EXPECT_NE(aside().find("field 'price' has 3 digits behind its point, its column keeps 2"),
              std::string::npos);
    EXPECT_NE(aside().find("field 'name' has 101 characters"), std::string::npos);
}

TEST_P(LoadTypes, that_a_column_cannot_hold_are_rejected_and_never_changed) {
    place().run("create table orders (id bigint primary key, n bigint, r double precision)");
    input = "orders.jsonl";
    home.write(input, "{\"id\":1,\"n\":9223372036854775808}\n{\"id\":2,\"n\":-0}\n"
                      "{\"id\":3,\"r\":1e400}\n{\"id\":4,\"n\":1.5}\n"
                      "{\"id\":5,\"n\":9223372036854775807,\"r\":-0.5}\n");
    const LoadEnd end = load({"--key", "id", "--verify"});
    EXPECT_EQ(end.status, 4) << end.words();
    expect_account(end, 1, 0, 4);
    for (const char* line : {"\"line\":1,", "\"line\":2,", "\"line\":3,", "\"line\":4,"})
        EXPECT_NE(aside().find(line), std::string::npos) << line;
}

// One column with a value that it would change and one that it keeps, alone in a row each.
TEST_P(LoadTypes, of_columns_that_round_cut_or_reinterpret_reject_what_they_would_change) {
    struct Narrow {
        const char* type;
        std::vector<std::string> changed;
        std::vector<std::string> kept;
    };
    const std::string name80(80, 'n');
    const std::vector<Narrow> postgres{
        {"real", {"16777217", "0.123456789"}, {"16777216", "0.12345679", "1.50", "NaN"}},
        {"name", {name80}, {"short"}},
        {"\"char\"", {"ab"}, {"a"}},
        {"time(0)", {"12:00:00.5"}, {"12:00:00"}},
        {"time", {"12:00:00.1234567"}, {"12:00:00.123456"}},
        {"interval(0)", {"1.5 s"}, {"1 day 2 s"}},
        {"interval", {"1.1234567 s"}, {"1.5 s"}},
        {"numeric(4,1)[]", {"{1.25}"}, {"{1.5,2}"}},
        {"timestamp(0)[]", {"{2026-01-01 00:00:00.5}"}, {"{2026-01-01 00:00:00}"}},
        {"money", {"1.005"}, {"1.25"}},
        {"date", {"2026-01-31 10:00:00"}, {"2026-01-31"}},
    };
    const std::vector<Narrow> mariadb{
        {"float", {"16777217", "0.1234567"}, {"123456", "0.5"}},
        {"float(8,2)", {"1.255"}, {"1.25"}},
        {"double(8,2)", {"1.255"}, {"1.25"}},
        {"time", {"12:00:00.7"}, {"12:00:00"}},
        {"timestamp", {"2026-01-31 10:00:00.5"}, {"2026-01-31 10:00:00"}},
        {"bit(8)", {"5"}, {}},
        {"enum('a','2')", {"1"}, {"a", "2"}},
        {"set('a','b')", {"3"}, {"a,b"}},
        {"year", {"5"}, {"2026"}},
        {"date", {"2026-01-31 10:00:00"}, {"2026-01-31"}},
    };
    if (GetParam() == "sqlite") return;  // load_altered_test.py has its columns
    for (const Narrow& one : GetParam() == "postgres" ? postgres : mariadb) {
        SCOPED_TRACE(one.type);
        place().clear();
        place().run(std::string{"create table orders (id bigint primary key, z "} + one.type + ")");
        std::string text = "id,z\n";
        int id = 0;
        for (const auto* list : {&one.changed, &one.kept})
            for (const std::string& value : *list)
                text += std::to_string(id++) + ",\"" + value + "\"\n";
        home.write(input, text);
        const LoadEnd end = load({"--key", "id"});
        EXPECT_EQ(end.status, 4) << end.words();
        expect_account(end, static_cast<int>(one.kept.size()), 0,
                       static_cast<int>(one.changed.size()));
    }
}

INSTANTIATE_TEST_SUITE_P(Live, LoadTypes, ::testing::Values("sqlite", "postgres", "mariadb"));

}  // namespace
}  // namespace perdure::live
