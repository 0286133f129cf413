// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sql/mariadb/phrases.hpp"
#include "sql/mariadb/trouble.hpp"

namespace perdure::sql::mariadb_inside {
namespace {

Failure failed_commit(unsigned number) {
    return failure_from({.number = number, .state = "HY000", .text = "t"}, During::committing);
}

TEST(MariadbTrouble, at_commit_is_a_rollback_only_where_that_is_known) {
    for (const unsigned number : {1213u, 1205u, 1317u, 1969u, 1290u, 3101u, 1614u})
        EXPECT_EQ(failed_commit(number).effect, Effect::none) << number;
    for (const unsigned number :
         {2006u, 2013u, 2026u, 2055u, 1053u, 1158u, 1161u, 1927u, 1180u, 1030u, 2027u, 9999u})
        EXPECT_EQ(failed_commit(number).effect, Effect::unknown) << number;
}

TEST(MariadbTrouble, has_no_effect_while_connecting_or_in_a_transaction) {
    for (const unsigned number : {2013u, 2006u, 1053u, 1180u}) {
        const Trouble trouble{.number = number, .state = "HY000"};
        EXPECT_EQ(failure_from(trouble, During::connecting).effect, Effect::none) << number;
        EXPECT_EQ(failure_from(trouble, During::in_transaction).effect, Effect::none) << number;
    }
    EXPECT_EQ(failure_from({.number = 2013}, During::statement).effect, Effect::unknown);
    EXPECT_EQ(failure_from({.number = 2006}, During::statement).effect, Effect::unknown);
}

TEST(MariadbTrouble, gone_away_has_no_effect_only_if_nothing_was_sent) {
    for (const During during : {During::statement, During::committing}) {
        const Trouble unsent{.number = 2006, .text = "t", .unsent = true};
        EXPECT_EQ(failure_from(unsent, during).effect, Effect::none);
        EXPECT_EQ(failure_from({.number = 2006, .text = "t"}, during).effect, Effect::unknown);
    }
}

TEST(MariadbTrouble, of_a_call_cut_off_is_unknown_only_after_the_whole_command_was_sent) {
    const auto effect = [](Cut cut, During during) {
        return failure_from({.number = 2013, .cut = cut}, during).effect;
    };
    EXPECT_EQ(effect(Cut::deadline_sent, During::committing), Effect::unknown);
    EXPECT_EQ(effect(Cut::stop_sent, During::statement), Effect::unknown);
    EXPECT_EQ(effect(Cut::deadline_unsent, During::committing), Effect::none);
    EXPECT_EQ(effect(Cut::stop_unsent, During::statement), Effect::none);
    EXPECT_EQ(effect(Cut::deadline_sent, During::in_transaction), Effect::none);
    EXPECT_EQ(effect(Cut::deadline_sent, During::connecting), Effect::none);
    EXPECT_EQ(failure_from({.cut = Cut::stop_sent}, During::statement).code, "stopped");
    EXPECT_EQ(failure_from({.cut = Cut::deadline_sent}, During::statement).cause, Cause::timed_out);
    EXPECT_TRUE(breaks_session({.cut = Cut::deadline_unsent}));
}

TEST(MariadbTrouble, leaves_a_transaction_open_only_if_one_statement_was_refused) {
    EXPECT_TRUE(leaves_open({.number = 1062, .state = "23000"}));
    EXPECT_TRUE(leaves_open({.number = 1264, .state = "22003"}));
    EXPECT_TRUE(leaves_open({.number = 1064, .state = "42000"}));
    EXPECT_TRUE(leaves_open({.number = 1366, .state = "HY000"}));
    for (const unsigned number : {1213u, 1205u, 1020u, 1614u, 1180u, 1317u, 1969u, 9999u})
        EXPECT_FALSE(leaves_open({.number = number, .state = "HY000"})) << number;
    EXPECT_FALSE(leaves_open({.number = 2013, .state = "HY000"}));
}

TEST(MariadbTrouble, never_shows_a_value_or_a_user) {
    const struct {
        unsigned number;
        std::string text;
        std::string shown;
    } cases[] = {
        {1062, "Duplicate entry 'secret' for key 'account.PRIMARY'",
         "duplicate key: account.PRIMARY"},
        {1062, "Duplicate entry 'for key 'secret' for key 'k'", "duplicate key: k"},
        {1366, "Incorrect integer value: 'secret' for column `t`.`a`.`i` at row 1",
         "value cannot be read as the type: column `t`.`a`.`i`"},
        {1064, "You have an error near 'secret' at line 3", "syntax error at line 3"},
        {1045, "Access denied for user 'secret'@'h' (using password: YES)",
         "Access denied for user '…'@'h' (using password: YES)"},
        {1044, "Access denied for user 'it's secret'@'h' to database 'bank'",
         "Access denied for user '…'@'h' to database 'bank'"},
        {1142, "INSERT command denied to user 'secret'@'h' for table `bank`.`account`",
         "INSERT command denied to user '…'@'h' for table `bank`.`account`"},
        {1045, "Zugriff verweigert: secret", "login refused"},
        {1292, "Truncated incorrect DOUBLE value: 'secret'", "value cannot be read as the type"},
        {1146, "Table 't.x' doesn't exist", "Table 't.x' doesn't exist"},
        {2002, "Can't connect to server on 'h' (115)", "Can't connect to server on 'h'"},
        {2013, "Lost connection", "Lost connection"},
    };
    for (const auto& [number, text, expected] : cases) {
        const Trouble trouble{.number = number, .state = "HY000", .text = text};
        EXPECT_EQ(shown(trouble, MariadbMessages::redacted), expected);
    }
    EXPECT_EQ(shown({.number = 1062, .text = "x 'v'"}, MariadbMessages::whole), "x 'v'");
}

TEST(MariadbTrouble, of_a_refused_certificate_is_not_repeated) {
    const Trouble refused{.number = 2026, .text = "TLS error: self-signed certificate"};
    EXPECT_EQ(failure_from(refused, During::connecting).cause, Cause::forbidden);
    const Trouble cut{.number = 2026, .text = "TLS error: unexpected eof"};
    EXPECT_TRUE(is_repeatable(failure_from(cut, During::connecting).cause));
}

TEST(MariadbTrouble, of_a_stale_prepared_statement_is_repeated) {
    for (const unsigned number : {prepared_too_old, columns_changed}) {
        const Failure failure = failure_from({.number = number}, During::in_transaction);
        EXPECT_EQ(failure.cause, Cause::contended);
        EXPECT_FALSE(breaks_session({.number = number}));
    }
}

TEST(MariadbPhrases, begin_in_one_text_with_the_token_last) {
    const auto token = *Token::parse("00112233-4455-6677-8899-aabbccddeeff");
    const Beginning how{.isolation = Isolation::serializable,
                        .token = &token,
                        .token_table = "app.tokens",
                        .statement_limit = 1500ms,
                        .lock_limit = 1200ms,
                        .idle_limit = 5s};
    const Opening all = opening(how, {}, Dialect::mariadb);
    EXPECT_EQ(all.text,
              "SET SESSION innodb_lock_wait_timeout=1,SESSION max_statement_time=1.500,"
              "SESSION idle_transaction_timeout=5;SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;"
              "START TRANSACTION;INSERT INTO `app`.`tokens` (token) VALUES "
              "(x'00112233445566778899aabbccddeeff')");
    EXPECT_EQ(all.token_at, 3u);
    EXPECT_EQ(opening({.access = Access::read_only}, {}, Dialect::mysql).text,
              "START TRANSACTION READ ONLY");
    EXPECT_EQ(opening({.statement_limit = 2s}, {}, Dialect::mysql).text,
              "SET SESSION max_execution_time=2000;START TRANSACTION");
    EXPECT_EQ(opening({}, {.statement_ms = 7, .lock_seconds = 3}, Dialect::mariadb).text,
              "SET SESSION innodb_lock_wait_timeout=DEFAULT,SESSION max_statement_time=DEFAULT;"
              "START TRANSACTION");
}

TEST(MariadbPhrases, keep_limits_of_single_statements_while_they_fit) {
    const Limits eight = limits_alone(5s, {});
    EXPECT_EQ(eight, (Limits{.statement_ms = 8000, .lock_seconds = 8}));
    EXPECT_EQ(limits_alone(8s, eight), eight);
    EXPECT_EQ(limits_alone(3s, eight), eight);
    EXPECT_EQ(limits_alone(9s, eight).statement_ms, 16000);
    EXPECT_EQ(limits_alone(1s, eight).statement_ms, 1000);
    EXPECT_EQ(limits_alone(never, eight), Limits{});
    EXPECT_EQ(set_limits(eight, eight, Dialect::mariadb), "");
}

TEST(MariadbPhrases, count_in_whole_seconds_and_never_in_none) {
    EXPECT_EQ(whole_seconds(0s), 1);
    EXPECT_EQ(whole_seconds(1ms), 1);
    EXPECT_EQ(whole_seconds(1001ms), 2);
    EXPECT_GT(whole_seconds(never), 1000);
}

TEST(MariadbPhrases, take_only_plain_names_for_the_token_table) {
    for (const std::string_view good : {"perdure_token", "app.T1"}) EXPECT_TRUE(check_table(good));
    for (const std::string_view bad : {"", "a b", "a;drop table b", "a.b.c", ".a", "a.", "`a`"})
        EXPECT_FALSE(check_table(bad)) << bad;
}

}  // namespace
}  // namespace perdure::sql::mariadb_inside
