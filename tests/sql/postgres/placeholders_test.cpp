// SPDX-License-Identifier: Apache-2.0
#include "sql/postgres/placeholders.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using perdure::Cause;
using perdure::sql::pg::translate;

struct Written {
    const char* before;
    const char* after;
    int count;
};

TEST(PostgresPlaceholders, are_numbered_and_left_alone_inside_of_strings_names_and_comments) {
    const Written table[] = {
        {"", "", 0},
        {"select ?", "select $1", 1},
        {"select ?, ?::int, (?)", "select $1, $2::int, ($3)", 3},
        {"select '?' , ?", "select '?' , $1", 1},
        {"select 'it''s ?', ?", "select 'it''s ?', $1", 1},
        {R"(select 'a\', ?)", R"(select 'a\', $1)", 1},
        {R"(select E'a\'?', ?)", R"(select E'a\'?', $1)", 1},
        {R"(select e'a''b\'?', ?)", R"(select e'a''b\'?', $1)", 1},
        {R"(select date'?\', ?)", R"(select date'?\', $1)", 1},
        {R"(select "a?""b?", ?)", R"(select "a?""b?", $1)", 1},
        {"select $$?$$, ?", "select $$?$$, $1", 1},
        {"select $q$ ? $$ ? $q$, ?", "select $q$ ? $$ ? $q$, $1", 1},
        {"select a$b$ + ?, c$b$", "select a$b$ + $1, c$b$", 1},
        {"select ? -- why?\n, ?", "select $1 -- why?\n, $2", 2},
        {"select /* ? /* ? */ ? */ ?", "select /* ? /* ? */ ? */ $1", 1},
        {"select ? - ? / ?", "select $1 - $2 / $3", 3},
        {"select j ?? 'a' and k ??| ?", "select j ? 'a' and k ?| $1", 1},
        {"select $1, $2, $1", "select $1, $2, $1", 2},
        {"select 'never ends ?", "select 'never ends ?", 0},
        {"select /* never ends ?", "select /* never ends ?", 0},
        {"select $q$ never ends ?", "select $q$ never ends ?", 0},
        {"select E'\\", "select E'\\", 0},
        {"select $", "select $", 0},
    };
    for (const Written& row : table) {
        SCOPED_TRACE(row.before);
        const auto got = translate(row.before);
        ASSERT_TRUE(got.has_value());
        EXPECT_EQ(got->text, row.after);
        EXPECT_EQ(got->placeholders, row.count);
    }
}

TEST(PostgresPlaceholders, refuse_what_would_be_read_as_something_else) {
    for (const char* const text : {"select ?1", "select ?name", "select ?, $1", "select $0",
                                   "select $65536", "select $99999999999999999999"}) {
        SCOPED_TRACE(text);
        const auto got = translate(text);
        ASSERT_FALSE(got.has_value());
        EXPECT_EQ(got.error().cause, Cause::invalid);
        EXPECT_EQ(got.error().code, "placeholders");
    }
}

TEST(PostgresPlaceholders, number_as_many_as_the_protocol_can_count) {
    std::string text = "select ";
    for (int i = 0; i < 65'535; ++i) text += "?,";
    EXPECT_EQ(translate(text)->placeholders, 65'535);
    EXPECT_FALSE(translate(text + "?").has_value());
}

}  // namespace
