// SPDX-License-Identifier: Apache-2.0
//
// Are a container's ranges found although it has not reached every region yet, and does a wait for them end
// by the word of whoever ended it?
#include <stop_token>
#include <string>

#include "cosmos/query_plan.hpp"
#include "perdure/cosmos/pages.hpp"
#include "staged.hpp"

namespace perdure::cosmos {
namespace {

class RangesOfAContainer : public BothWays {
protected:
    static Result<Client::Ranges> ranges(Client& client, const CallOptions& options = {}) {
        if (GetParam() == Way::blocking) return client.ranges(orders, options);
        return block_on(net::default_reactor(), client.start_ranges(orders, options));
    }
    static ClientOptions prefers_west(const Stage& stage) {
        ClientOptions options = stage.options_for();
        options.preferred = {"West US", "North Europe", "East US"};
        return options;
    }
    static GatewayFault not_there(const std::string& region, const std::string& resource,
                                  int substatus) {
        return {.region = region,
                .method = "GET",
                .resource = resource,
                .status = 404,
                .substatus = substatus};
    }
};
INSTANTIATE_TEST_SUITE_P(Both, RangesOfAContainer, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(RangesOfAContainer, are_read_in_the_write_region_where_another_has_not_got_them_yet) {
    for (const std::string resource : {"colls", "pkranges"})
        for (const int substatus : {0, 1003, 1013}) {
            SCOPED_TRACE(resource + " 404/" + std::to_string(substatus));
            Stage stage{account_of(3)};
            stage->plan({not_there("West US", resource, substatus)});
            Client client{prefers_west(stage)};
            const auto found = ranges(client);
            ASSERT_TRUE(found) << to_string(found.error());
            EXPECT_EQ((*found)->all().size(), 1u);
            auto walk = pages(client, Query{orders, "SELECT * FROM c"});
            for (const Result<Page>& page : walk) EXPECT_TRUE(page) << to_string(page.error());
            (void)stage.told();
        }
}

TEST_P(RangesOfAContainer, are_not_found_once_every_region_has_said_so) {
    Stage stage{account_of(3)};
    GatewayFault nowhere = not_there("", "colls", 0);
    stage->plan({nowhere});
    Client client{prefers_west(stage)};
    const auto found = ranges(client);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().cause, Cause::not_found) << to_string(found.error());
    EXPECT_EQ(found.error().status, 404);
    std::string asked;
    for (const auto& one : stage->take_records())
        if (one.path.ends_with("/colls/orders")) asked += one.region + ' ';
    EXPECT_EQ(asked, "West US East US North Europe ");
}

TEST_P(RangesOfAContainer, that_do_not_come_in_time_end_by_the_deadline) {
    Stage stage{account_of(1)};
    stage->plan({{.method = "GET", .resource = "colls", .ending = chaos::FaultEnding::silence}});
    Client client{stage.options_for()};
    const auto found = ranges(client, {.deadline = within(50ms)});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().stop, Stop::deadline) << to_string(found.error());
    EXPECT_EQ(found.error().cause, Cause::timed_out);
    EXPECT_EQ(found.error().effect, Effect::none);
}

TEST_P(RangesOfAContainer, that_nobody_waits_for_any_more_end_as_cancelled) {
    Stage stage{account_of(1)};
    stage->plan({{.method = "GET", .resource = "colls", .ending = chaos::FaultEnding::silence}});
    Client client{stage.options_for()};
    std::stop_source stop;
    stop.request_stop();
    const auto found = ranges(client, {.stop = stop.get_token()});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().stop, Stop::cancelled) << to_string(found.error());
    EXPECT_EQ(found.error().cause, Cause::cancelled);
}

// What the account is asked before a query goes to each partition.
TEST(QueryPlan, is_asked_for_by_its_own_header_alone) {
    Envelope envelope;
    const QueryPlan plan{
        Query{orders, "SELECT * FROM c WHERE c.n > @n"}.with("@n", 1).page_size(5)};
    ASSERT_TRUE(plan.describe(envelope, {}));
    EXPECT_EQ(envelope.path, "/dbs/shop/colls/orders/docs");
    EXPECT_EQ(envelope.fields, "x-ms-cosmos-is-query-plan-request: True\r\n"
                               "x-ms-cosmos-query-version: 1.4\r\n"
                               "x-ms-cosmos-supported-query-features: None\r\n");
    EXPECT_EQ(envelope.content_type, "application/query+json");
    EXPECT_EQ(
        envelope.body,
        R"({"query":"SELECT * FROM c WHERE c.n > @n","parameters":[{"name":"@n","value":1}]})");
}

}  // namespace
}  // namespace perdure::cosmos
