// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a COMMIT without an answer: is it found out, and is nothing claimed that nobody
// knows?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "perdure/testing/virtual_clock.hpp"
#include "sql/bank.hpp"
#include "sql/staged.hpp"

namespace perdure::sql {
namespace {

// What was asked and answered, in order: "attempt asked yes".
class Transcript final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::attempt_started) add("attempt");
        if (event.kind == EventKind::landed) add(verdicts[static_cast<int>(event.verdict)]);
        if (event.kind == EventKind::finished) add(event.failure ? "failed" : "landed");
    }
    std::string text{};

private:
    static constexpr const char* verdicts[] = {"yes", "no", "pending", "unknown"};
    void add(const char* word) {
        const bool again = text.ends_with(word);
        if (!again) text += (text.empty() ? "" : " ") + std::string{word};
    }
};

auto is_there(std::int64_t at_least = 1) {
    return [=](Transaction& look) -> Result<bool> {
        PERDURE_TRY_VALUE(const Rows rows, look.query("select count(*) from thing"));
        PERDURE_TRY_VALUE(const auto count, rows.single<std::int64_t>());
        return count >= at_least;
    };
}

enum class By { token, landed, nothing };
enum class End { done, unknown };

TEST(Resolve, tells_what_the_database_says_and_nothing_more) {
    const struct {
        By by;
        Fault fault;
        End end;
        int runs;
        int things;  // after the call; a zombie that still lives has none yet
        const char* transcript;
    } cases[] = {
        {By::token, Planned::fail_before, End::done, 2, 1, "attempt no attempt"},
        {By::token, Planned::fail_after, End::done, 1, 1, "attempt yes landed"},
        {By::token, Fault::zombie(Ending::rolls_back, 20ms), End::done, 2, 1, "attempt no attempt"},
        {By::token, Fault::zombie(Ending::commits, 20ms), End::done, 1, 1, "attempt yes landed"},
        {By::token, Fault::zombie(Ending::commits), End::unknown, 1, 0, "attempt pending failed"},
        {By::landed, Planned::fail_before, End::done, 2, 1, "attempt no attempt"},
        {By::landed, Planned::fail_after, End::done, 1, 1, "attempt yes landed"},
        {By::landed, Fault::zombie(Ending::commits, 20ms), End::done, 1, 1,
         "attempt pending yes landed"},
        {By::landed, Fault::zombie(Ending::rolls_back, 20ms), End::done, 2, 1,
         "attempt pending no attempt"},
        {By::landed, Fault::zombie(Ending::commits), End::unknown, 1, 0, "attempt pending failed"},
        {By::nothing, Planned::fail_before, End::unknown, 1, 0, "attempt failed"},
        {By::nothing, Planned::fail_after, End::unknown, 1, 1, "attempt failed"},
    };
    for (const auto& [by, fault, end, runs, things, transcript] : cases) {
        SCOPED_TRACE(std::string{transcript} + " by " + std::to_string(static_cast<int>(by)));
        Transcript seen;
        Bank bank{by == By::token ? with_tokens() : DatabaseOptions{}, {.observer = &seen}};
        bank.faults.commit({fault});
        TransactOptions options{.deadline = 600ms};
        if (by == By::landed) options.landed = is_there();
        int ran = 0;
        const auto result = transact(bank.database, options, [&](Transaction& tx) {
            ++ran;
            return insert(7)(tx);
        });
        EXPECT_EQ(result.has_value(), end == End::done);
        if (!result) {
            EXPECT_EQ(result.error().effect, Effect::unknown);
            EXPECT_LT(result.error().elapsed, 1100ms);
        }
        EXPECT_EQ(ran, runs);
        EXPECT_EQ(bank.things(), things);
        EXPECT_EQ(seen.text.substr(0, std::string{transcript}.size()), transcript) << seen.text;
    }
}

TEST(Resolve, believes_no_only_when_the_old_session_is_gone) {
    Bank bank;
    int asked = 0;
    bank.faults.commit({Fault::zombie(Ending::commits)});
    // The zombie commits right after the row was looked for and not found.
    const auto early = [&](Transaction& look) -> Result<bool> {
        auto there = is_there()(look);
        if (++asked == 1) {
            EXPECT_FALSE(there.value_or(true));
            bank.faults.release();
        }
        return there;
    };
    EXPECT_EQ(transact(bank.database, {.landed = early}, insert(7)).value_or(-1), 7);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(bank.things(), 1) << "a resolver that believed the first answer has two";
}

TEST(Resolve, believes_yes_also_while_the_old_session_lives) {
    Bank bank;
    ASSERT_TRUE(bank.plain.execute("insert into thing values (1)"));
    bank.faults.commit({Fault::zombie(Ending::rolls_back)});
    int asked = 0;
    EXPECT_TRUE(transact(bank.database,
                         {.landed =
                              [&](Transaction& look) {
                                  ++asked;
                                  return is_there()(look);
                              }},
                         insert(7)));
    EXPECT_EQ(asked, 1);
}

TEST(Resolve, asks_landed_in_a_transaction_that_cannot_write) {
    Bank bank;
    bank.faults.commit({Planned::fail_after});
    bool refused = false;
    EXPECT_TRUE(transact(bank.database, {.landed = [&](Transaction& look) -> Result<bool> {
                             refused = !look.execute("delete from thing");
                             return true;
                         }},
                         insert(7)));
    EXPECT_TRUE(refused);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Resolve, asks_landed_again_after_a_transient_failure_and_gives_up_after_a_final_one) {
    for (const Cause cause : {Cause::unavailable, Cause::invalid}) {
        Bank bank;
        bank.faults.commit({Planned::fail_after});
        int asked = 0;
        const auto stumbling = [&](Transaction&) -> Result<bool> {
            if (++asked == 1) return fail({.cause = cause, .code = "E"});
            return true;
        };
        const auto done = transact(bank.database, {.landed = stumbling}, insert(7));
        EXPECT_EQ(done.has_value(), cause == Cause::unavailable);
        EXPECT_EQ(asked, cause == Cause::unavailable ? 2 : 1);
        if (!done) {
            EXPECT_EQ(done.error().effect, Effect::unknown);
        }
        EXPECT_EQ(bank.things(), 1);
    }
}

TEST(Resolve, goes_on_asking_while_no_session_can_be_opened) {
    Bank bank{with_tokens()};
    bank.faults.open({Planned::pass, Planned::fail_before, Planned::fail_before});
    bank.faults.commit({Planned::fail_after});
    Diagnostics diagnostics;
    EXPECT_TRUE(transact(bank.database, {.diagnostics = &diagnostics}, insert(7)));
    EXPECT_EQ(diagnostics.times_asked(), 3);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Resolve, ends_as_unknown_by_its_deadline_when_nobody_answers) {
    Bank bank{with_tokens()};
    bank.faults.commit({Planned::fail_after});
    bank.faults.open({Planned::pass});
    for (int i = 0; i < 200; ++i) bank.faults.open({Planned::fail_before});
    const auto done = transact(bank.database, {.deadline = 150ms}, insert(7));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(done.error().attempts, 1);
    EXPECT_LT(done.error().elapsed, 650ms);
    EXPECT_EQ(bank.things(), 1);
}

// With the plan a user gets: every number of questions below comes from its backoff.
TEST(Resolve, of_a_lost_commit_goes_on_while_the_server_is_away_for_longer_than_it_ever_took) {
    const struct {
        const char* when;
        Failure failure;
    } cases[] = {
        {"a planned fault: the link was lost",
         {.cause = Cause::unavailable, .effect = Effect::none, .code = "planned"}},
        {"refused", failure_of(row_of(Product::postgres, "08001"), During::connecting)},
        {"starting up", failure_of(row_of(Product::postgres, "57P03"), During::connecting)},
        {"connection limit", failure_of(row_of(Product::postgres, "53300"), During::connecting)},
        {"no sessions", failure_of(row_of(Product::postgres, "pool-full"), During::connecting)},
        {"timed out", failure_of(row_of(Product::postgres, "deadline"), During::connecting)},
        {"too slow", failure_of(row_of(Product::postgres, "57014"), During::statement)},
        {"the user calls it final", {.cause = Cause::unavailable, .code = "not-ours"}},
        {"the user calls it transient", {.cause = Cause::forbidden, .code = "will-pass"}},
    };
    for (const auto& [when, failure] : cases) {
        SCOPED_TRACE(when);
        perdure::testing::VirtualClock clock;
        DatabaseOptions options = with_tokens();
        options.codes = {.also_transient = {"will-pass"}, .not_transient = {"not-ours"}};
        options.plan = strategy(Product::postgres);
        options.plan->deadline = 60s;  // the default of 10 s has no room for thirty questions
        Bank bank{options, {.clock = clock}};
        bank.faults.open({Planned::pass});
        for (int i = 0; i < 30; ++i) bank.faults.open({{Planned::fail_before, failure}});
        bank.faults.commit({Planned::fail_after});
        const TimePoint begin = clock.now();
        const auto done = transact(bank.database, {.name = "pay"}, insert(7));
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_GT(clock.now() - begin, 5s);
        EXPECT_EQ(bank.faults.counts().opens, 32);
        EXPECT_EQ(bank.things(), 1);
    }
}

TEST(Resolve, asks_again_on_another_session_when_a_question_hangs) {
    perdure::testing::VirtualClock clock;
    const auto stage = std::make_shared<Stage>();
    stage->commit = []() -> Result<void> { return fail({.cause = Cause::unavailable}); };
    stage->answer = [&](const Bounds& bounds) -> Result<Landed<void>> {
        if (stage->asked > 2) return Landed<void>::yes();
        clock.advance(bounds.deadline.left(clock.now()));
        return fail(failure_of(row_of(Product::postgres, "deadline"), During::in_transaction));
    };
    Database database{std::make_shared<StagedDriver>(stage), {}, {.clock = clock}};
    EXPECT_TRUE(transact(database, {}, [](Transaction&) -> Result<void> { return {}; }));
    EXPECT_EQ(stage->asked, 3);
}

TEST(Resolve, of_ones_own_token_tells_later_what_was_unknown) {
    Bank bank{with_tokens()};
    const Token token = Token::make();
    bank.faults.commit({Fault::zombie(Ending::commits)});
    const auto done = transact(bank.database, {.deadline = 200ms, .token = token}, insert(7));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    bank.faults.release();
    EXPECT_EQ(landed(bank.database, token)->verdict(), Verdict::yes);
    const auto again = transact(bank.database, {.token = token}, insert(7));
    EXPECT_EQ(again.error().effect, Effect::applied);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Resolve, is_not_asked_about_a_commit_that_was_answered_with_no) {
    Bank bank{with_tokens()};
    const Failure rolled_back =
        failure_of(row_of(Product::sqlite, "5"), During::in_transaction, "lost to another");
    bank.faults.commit({{Planned::fail_before, rolled_back}});
    Diagnostics diagnostics;
    EXPECT_TRUE(transact(bank.database, {.diagnostics = &diagnostics}, insert(7)));
    EXPECT_EQ(diagnostics.times_asked(), 0);
    EXPECT_EQ(diagnostics.attempts().size(), 2u);
    EXPECT_EQ(bank.things(), 1);
}

TEST(Resolve, is_asked_also_about_a_commit_whose_failure_the_table_calls_final) {
    Bank bank{with_tokens()};
    const Failure final_but_unknown{
        .cause = Cause::timed_out, .retry_after = never, .code = "late"};
    bank.faults.commit({{Planned::fail_after, final_but_unknown}});
    EXPECT_TRUE(transact(bank.database, {}, insert(7)));
    bank.faults.commit({{Planned::fail_before, final_but_unknown}});
    const auto done = transact(bank.database, {}, insert(8));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::none) << "it is known now that it did not happen";
    EXPECT_EQ(done.error().code, "late");
    EXPECT_EQ(bank.things(), 1);
}

}  // namespace
}  // namespace perdure::sql
