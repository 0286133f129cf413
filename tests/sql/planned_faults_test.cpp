// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/planned_faults.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "sqlite_place.hpp"

namespace perdure::sql {
namespace {

using testing::connect;
using testing::driver_for;
using testing::execute;
using testing::number;
using testing::open;
using testing::Place;
using testing::within;

class PlannedFault : public ::testing::Test {
protected:
    void SetUp() override { MUST(execute(*open(*real), "create table t (v)")); }
    std::int64_t rows() { return number(*open(*real), "select count(*) from t"); }
    // A transaction of one insert; its first failure.
    Result<void> insert() {
        auto session = connect(*driver);
        if (!session) return session.take_failure();
        auto begun = (*session)->begin({}, within(5s));
        if (!begun) return begun.take_failure();
        doubt = begun->doubt;
        auto done = execute(**session, "insert into t values (1)");
        if (!done) return done.take_failure();
        auto committed = (*session)->commit(within(5s));
        EXPECT_EQ((*session)->state(), committed ? State::idle : State::broken);
        return committed;
    }

    Place place;
    std::shared_ptr<Driver> real = driver_for(place / "a.db", {.synchronous = Synchronous::normal});
    PlannedFaults faults;
    std::shared_ptr<Driver> driver = with_faults(real, faults);
    Doubt doubt;
};

TEST_F(PlannedFault, comes_when_it_was_planned_and_tells_what_a_lost_link_would) {
    struct Case {
        void (PlannedFaults::*plan)(std::initializer_list<Fault>);
        Planned what;
        Effect effect;
        int rows;
    };
    const Case cases[] = {
        {&PlannedFaults::open, Planned::fail_before, Effect::none, 0},
        {&PlannedFaults::open, Planned::fail_after, Effect::none, 0},
        {&PlannedFaults::begin, Planned::fail_before, Effect::none, 0},
        {&PlannedFaults::begin, Planned::fail_after, Effect::none, 0},
        {&PlannedFaults::execute, Planned::fail_before, Effect::none, 0},
        {&PlannedFaults::execute, Planned::fail_after, Effect::none, 0},
        {&PlannedFaults::commit, Planned::fail_before, Effect::unknown, 0},
        {&PlannedFaults::commit, Planned::fail_after, Effect::unknown, 1},
    };
    int faulty = 0;
    for (const auto& [plan, what, effect, added] : cases) {
        const std::int64_t before = rows();
        (faults.*plan)({what});
        const auto done = insert();
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().cause, Cause::unavailable);
        EXPECT_EQ(done.error().effect, effect) << done.error().message;
        EXPECT_EQ(done.error().code, "planned");
        EXPECT_TRUE(done.error().remedies.has(Remedy::fresh_connection));
        EXPECT_EQ(rows() - before, added) << done.error().message;
        EXPECT_EQ(faults.counts().faults, ++faulty);
        MUST(insert());
    }
}

TEST_F(PlannedFault, counts_every_call_that_was_made) {
    faults.execute({Planned::pass, Planned::fail_before});
    faults.commit({Planned::pass, Planned::fail_after});
    MUST(insert());
    EXPECT_FALSE(insert());
    EXPECT_FALSE(insert());
    const FaultCounts counts = faults.counts();
    EXPECT_EQ(counts.opens, 3);
    EXPECT_EQ(counts.begins, 3);
    EXPECT_EQ(counts.executions, 3);
    EXPECT_EQ(counts.commits, 2);
    EXPECT_EQ(counts.faults, 2);
    EXPECT_EQ(rows(), 2);
}

TEST_F(PlannedFault, leaves_a_statement_by_itself_unknown) {
    for (const Planned what : {Planned::fail_before, Planned::fail_after}) {
        const auto session = open(*driver);
        faults.execute({what});
        const auto done = execute(*session, "insert into t values (1)");
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect, Effect::unknown);
        EXPECT_EQ(session->state(), State::broken);
        EXPECT_FALSE(session->still_good());
        EXPECT_FALSE(execute(*session, "select 1")) << "a broken session stays broken";
    }
    EXPECT_EQ(rows(), 1);
}

TEST_F(PlannedFault, can_come_after_the_first_row) {
    MUST(execute(*open(*real), "insert into t values (1), (2), (3)"));
    const std::pair<Planned, std::size_t> cases[] = {
        {Planned::fail_before, 0}, {Planned::fail_midway, 1}, {Planned::fail_after, 0}};
    for (const auto& [what, arrived] : cases) {
        const auto session = open(*driver);
        faults.execute({what});
        RowBuffer buffer{1000};
        EXPECT_FALSE(session->run({.text = "select v from t"}, buffer, within(5s)));
        EXPECT_EQ(buffer.take().size(), arrived);
    }
}

TEST_F(PlannedFault, tells_the_failure_it_was_given) {
    const Failure deadlock =
        failure_of(row_of(Product::sqlserver, "1205"), During::in_transaction, "chosen as victim");
    faults.execute({{Planned::fail_before, deadlock}});
    const auto done = insert();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error(), deadlock);
}

TEST_F(PlannedFault, passes_on_what_the_database_says_itself) {
    faults.commit({Planned::fail_after});
    const auto session = open(*driver);
    MUST(session->begin({}, within(5s)));
    EXPECT_EQ(execute(*session, "select * from nowhere").error().code, "1");
    session->roll_back(within(5s));
    EXPECT_EQ(session->commit(within(5s)).error().code, "no-transaction");
    EXPECT_EQ(faults.counts().roll_backs, 1);
    EXPECT_EQ(driver->name(), real->name());
    EXPECT_EQ(driver->traits().product, Product::sqlite);
}

TEST_F(PlannedFault, keeps_a_transaction_open_behind_our_back_until_it_is_released) {
    const Token token = Token::make();
    const auto asked = open(*driver);
    MUST(asked->make_tokens("perdure_token", within(5s)));
    for (const Ending ending : {Ending::rolls_back, Ending::commits}) {
        const auto session = open(*driver);
        auto begun = session->begin({.token = &token}, within(5s));
        ASSERT_TRUE(begun);
        MUST(execute(*session, "insert into t values (1)"));
        faults.commit({Fault::zombie(ending)});
        EXPECT_EQ(session->commit(within(5s)).error().effect, Effect::unknown);
        EXPECT_EQ(faults.counts().zombies, 1);
        EXPECT_EQ(rows(), 0) << "not there yet: whoever looks now and believes it is wrong";
        EXPECT_EQ(asked->end_old(begun->doubt, within(5s)).value(), Remains::alive);
        auto early = asked->probe(token, "perdure_token", 1ms, within(5s));
        ASSERT_TRUE(early);
        EXPECT_EQ(early->verdict(), Verdict::pending);

        faults.release();
        EXPECT_EQ(faults.counts().zombies, 0);
        EXPECT_EQ(asked->end_old(begun->doubt, within(5s)).value(), Remains::gone);
        auto late = asked->probe(token, "perdure_token", 1ms, within(5s));
        ASSERT_TRUE(late);
        EXPECT_EQ(late->verdict(), ending == Ending::commits ? Verdict::yes : Verdict::no);
    }
    EXPECT_EQ(rows(), 1);
}

TEST_F(PlannedFault, ends_a_zombie_by_itself_when_its_time_has_come) {
    faults.commit({Fault::zombie(Ending::commits, 20ms)});
    EXPECT_FALSE(insert());
    EXPECT_EQ(rows(), 0);
    MUST(insert());  // waits for the lock
    EXPECT_EQ(rows(), 2);
}

TEST_F(PlannedFault, ends_zombies_with_the_last_who_knows_them) {
    faults.commit({Fault::zombie(Ending::commits), Fault::zombie(Ending::rolls_back, 1h)});
    EXPECT_FALSE(insert());
    driver.reset();
    faults = PlannedFaults{};
    EXPECT_EQ(rows(), 1);
}

TEST_F(PlannedFault, by_chance_repeats_itself_with_the_same_seed) {
    const FaultChances chances{
        .seed = 7, .open = {.fail_before = 0.1}, .commit = {.fail_before = 0.2, .fail_after = 0.2}};
    std::vector<std::string> told[2];
    for (auto& messages : told) {
        faults.by_chance(chances);
        for (int i = 0; i < 60; ++i) {
            const auto done = insert();
            messages.push_back(done ? "" : done.error().message);
        }
    }
    EXPECT_EQ(told[0], told[1]);
    const auto failed = 60 - std::ranges::count(told[0], std::string{});
    EXPECT_GT(failed, 10);
    EXPECT_LT(failed, 50);
    faults.clear();
    MUST(insert());
}

TEST_F(PlannedFault, keeps_its_books_under_many_threads) {
    faults.by_chance({.seed = 3,
                      .execute = {.fail_before = 0.05, .fail_after = 0.05},
                      .commit = {.fail_before = 0.1, .fail_after = 0.1, .half_open = 0.1},
                      .half_open_for = 5ms});
    std::atomic<int> sure = 0, unknown = 0, none = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n < 30; ++n) {
                    const auto session = open(*driver);
                    const auto done = [&]() -> Result<void> {
                        auto begun = session->begin({}, within(20s));
                        if (!begun) return begun.take_failure();
                        auto run = execute(*session, "insert into t values (1)");
                        if (!run) return run.take_failure();
                        return session->commit(within(20s));
                    }();
                    if (done) ++sure;
                    else ++(done.error().effect == Effect::none ? none : unknown);
                }
            });
    }
    faults.release();
    EXPECT_EQ(sure + unknown + none, 120);
    EXPECT_EQ(faults.counts().faults, unknown + none);
    EXPECT_GE(rows(), sure);
    EXPECT_LE(rows(), sure + unknown);
}

}  // namespace
}  // namespace perdure::sql
