// SPDX-License-Identifier: Apache-2.0
//
// Does a batch that only reads go where the service takes it, and is it still as safe as a read?
#include <limits>
#include <string>

#include "staged.hpp"

namespace perdure::cosmos {
namespace {

class BatchesOfReads : public BothWays {
protected:
    // Reads prefer a region that takes no writes.
    static ClientOptions prefers_west(const Stage& stage) {
        ClientOptions options = stage.options_for();
        options.preferred = {"West US", "East US"};
        return options;
    }
    static Batch reads() { return Batch{orders, PartitionKey{"A"}}.read("known").read("known"); }
};
INSTANTIATE_TEST_SUITE_P(Both, BatchesOfReads, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(BatchesOfReads, go_to_the_write_region_in_one_request) {
    Stage stage{account_of(2)};
    Client client{prefers_west(stage)};
    const auto got = ask(client, reads());
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->results.size(), 2u);
    EXPECT_EQ(stage.told(), "East US 200");
    ASSERT_TRUE(ask(client, read_of("known")));
    EXPECT_EQ(stage.told(), "West US 200");
}

TEST_P(BatchesOfReads, go_to_the_nearest_region_where_all_take_writes) {
    Stage stage{multi_write_account(2)};
    Client client{prefers_west(stage)};
    const auto got = ask(client, reads());
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(stage.told(), "West US 200");
}

TEST_P(BatchesOfReads, find_a_write_region_that_has_moved) {
    Stage stage{account_of(2)};
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    (void)stage.told();
    ASSERT_TRUE(stage->fail_over("West US", chaos::FailOver::caught_up));
    const auto got = ask(client, reads());
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(stage.told(), "East US 403/3, West US 200");
}

TEST_P(BatchesOfReads, are_repeated_and_leave_no_doubt) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    GatewayFault lost{.method = "POST", .resource = "docs", .to = 1};
    lost.strikes = chaos::Strikes::after_applying;
    lost.ending = chaos::FaultEnding::reset;
    stage->plan({lost});
    EXPECT_TRUE(ask(client, reads()));
    EXPECT_EQ(stage.told(), "East US 0, East US 200");

    lost.to = std::numeric_limits<std::uint64_t>::max();
    stage->plan({lost});
    const auto failed = ask(client, reads());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().effect, Effect::none) << to_string(failed.error());
}

TEST_P(BatchesOfReads, get_no_copy_since_no_other_region_takes_them) {
    Stage stage{account_of(2)};
    ClientOptions options = prefers_west(stage);
    options.hedge_after = 1ms;
    Client client{options};
    ASSERT_TRUE(ask(client, read_of("known")));
    (void)stage.told();
    GatewayFault slow{.method = "POST", .resource = "docs", .delay = 50ms};
    stage->plan({slow});
    ASSERT_TRUE(ask(client, reads()));
    EXPECT_EQ(stage.told(), "East US 200");
}

}  // namespace
}  // namespace perdure::cosmos
