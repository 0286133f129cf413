// SPDX-License-Identifier: Apache-2.0
//
// What is a caller told of a write whose answer was lost, and is it true?
#include "cosmos/staged.hpp"

#include <random>

namespace perdure::cosmos {
namespace {

using chaos::FaultEnding;
using chaos::Strikes;

class CosmosAmbiguous : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, CosmosAmbiguous, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

GatewayFault lost(Strikes strikes, std::uint64_t times = 1) {
    return {
        .kind = RequestKind::write, .to = times, .strikes = strikes, .ending = FaultEnding::reset};
}

CreateOnce once_of(const std::string& id) { return {orders, item_json(id), PartitionKey{"A"}}; }

TEST_P(CosmosAmbiguous, a_create_whose_answer_is_lost_ends_as_unknown_after_one_attempt) {
    for (const Strikes strikes : {Strikes::before_applying, Strikes::after_applying}) {
        Stage stage;
        Client client{stage.options_for()};
        ASSERT_TRUE(ask(client, read_of("known")));
        stage->plan({lost(strikes)});
        stage.told();
        const auto made = ask(client, create_of("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error());
        EXPECT_EQ(made.error().stop, Stop::unsafe);
        EXPECT_EQ(stage.told(), "East US 0");
        EXPECT_EQ(stage.times_written("1"), strikes == Strikes::after_applying ? 1u : 0u);
    }
}

TEST_P(CosmosAmbiguous, create_once_finds_out_whether_it_was_done) {
    for (const Strikes strikes : {Strikes::before_applying, Strikes::after_applying}) {
        Stage stage;
        Client client{stage.options_for()};
        ASSERT_TRUE(ask(client, read_of("known")));
        stage->plan({lost(strikes)});
        const auto made = ask(client, once_of("1"));
        ASSERT_TRUE(made) << to_string(made.error());
        EXPECT_EQ(stage.times_written("1"), 1u);
    }
}

TEST_P(CosmosAmbiguous, create_once_knows_the_work_of_another) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, once_of("1")));
    const auto again = ask(client, once_of("1"));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().cause, Cause::conflict);
    EXPECT_EQ(again.error().effect, Effect::none);
    stage->plan({lost(Strikes::before_applying)});
    const auto lost_and_late = ask(client, once_of("1"));
    ASSERT_FALSE(lost_and_late);
    EXPECT_EQ(lost_and_late.error().cause, Cause::conflict) << to_string(lost_and_late.error());
    EXPECT_EQ(stage.times_written("1"), 1u);
}

TEST_P(CosmosAmbiguous, replace_versioned_takes_its_own_refusal_for_success) {
    Stage stage;
    Client client{stage.options_for()};
    const auto made = ask(client, create_of("1"));
    ASSERT_TRUE(made);
    stage->plan({lost(Strikes::after_applying)});
    const ReplaceVersioned replace{orders, "1", PartitionKey{"A"}, item_json("1", R"(,"n":2)"),
                                   made->etag};
    const auto replaced = ask(client, replace);
    ASSERT_TRUE(replaced) << to_string(replaced.error());
    EXPECT_EQ(stage.times_written("1"), 2u);
    const auto stale = ask(client, replace);
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().cause, Cause::conflict);
    EXPECT_EQ(stale.error().effect, Effect::none);
    EXPECT_EQ(stage.times_written("1"), 2u);
}

TEST_P(CosmosAmbiguous, what_is_declared_idempotent_is_repeated) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({lost(Strikes::after_applying, 2)});
    stage.told();
    const auto put =
        ask(client, UpsertItem{orders, item_json("1"), PartitionKey{"A"}}.idempotent());
    ASSERT_TRUE(put) << to_string(put.error());
    EXPECT_EQ(stage.told(), "East US 0, East US 0, East US 200");
}

TEST_P(CosmosAmbiguous, a_write_that_was_never_sent_goes_elsewhere) {
    Stage stage{multi_write_account(2)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::refusing).value();
    stage.told();
    const auto made = ask(client, create_of("1"));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(stage.told(), "West US 201");
    EXPECT_EQ(stage.times_written("1"), 1u);
}

TEST_P(CosmosAmbiguous, a_write_that_was_never_sent_is_surely_not_done) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->set("East US", RegionState::refusing).value();
    const auto made = ask(client, create_of("1"), {.deadline = within(500ms)});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::none) << to_string(made.error());
    EXPECT_EQ(stage.times_written("1"), 0u);
}

TEST_P(CosmosAmbiguous, a_half_answer_to_a_write_is_no_answer) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.kind = RequestKind::write,
                  .to = 1,
                  .strikes = Strikes::after_applying,
                  .ending = FaultEnding::half_answer}});
    const auto made = ask(client, create_of("1"));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().effect, Effect::none) << to_string(made.error());
    EXPECT_EQ(stage.times_written("1"), 1u);
}

// The faults strike by chance; what each caller is told must fit what the account has.
struct Tally {
    int done = 0, unknown = 0, none = 0;
};

std::vector<GatewayFault> storm(std::mt19937& random, int writes) {
    std::vector<GatewayFault> faults;
    std::uint64_t at = 0;
    while (at < static_cast<std::uint64_t>(writes)) {
        at += 2 + random() % 12;
        GatewayFault fault{.kind = RequestKind::write, .from = at, .to = at};
        switch (random() % 5) {
            case 0: fault.ending = FaultEnding::reset; break;
            case 1: fault.status = 503; break;
            case 2: fault.status = 429, fault.retry_after = 1ms; break;
            default: fault.ending = FaultEnding::reset; fault.strikes = Strikes::after_applying;
        }
        faults.push_back(fault);
    }
    return faults;
}

constexpr int writes_made = 1000;

TEST_P(CosmosAmbiguous, plain_creates_never_say_what_is_not_true) {
    constexpr unsigned seed = 7;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    const std::vector<GatewayFault> faults = storm(random, writes_made);
    stage->plan(faults);
    Tally tally;
    for (int i = 0; i < writes_made; ++i) {
        const std::string id = "w" + std::to_string(i);
        const auto made = ask(client, create_of(id));
        const std::size_t there = stage.times_written(id);
        EXPECT_LE(there, 1u) << id;
        if (made) {
            ++tally.done;
            EXPECT_EQ(there, 1u) << id;
        } else if (made.error().effect == Effect::none) {
            ++tally.none;
            EXPECT_EQ(there, 0u) << id << ": " << to_string(made.error());
        } else {
            ++tally.unknown;
        }
    }
    std::size_t resets = 0;
    const auto struck = stage->struck();
    for (std::size_t i = 0; i < faults.size(); ++i)
        if (faults[i].ending == FaultEnding::reset) resets += struck[i];
    EXPECT_LE(static_cast<std::size_t>(tally.unknown), resets);
    EXPECT_GT(tally.unknown, 10);
    EXPECT_EQ(tally.none, 0);
    EXPECT_EQ(tally.done + tally.unknown, writes_made);
}

TEST_P(CosmosAmbiguous, create_once_is_exact) {
    constexpr unsigned seed = 19;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan(storm(random, writes_made * 2));
    for (int i = 0; i < writes_made; ++i) {
        const std::string id = "o" + std::to_string(i);
        const auto made = ask(client, once_of(id));
        ASSERT_TRUE(made) << id << ": " << to_string(made.error());
        ASSERT_EQ(stage.times_written(id), 1u) << id;
    }
}

}  // namespace
}  // namespace perdure::cosmos
