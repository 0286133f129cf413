// SPDX-License-Identifier: Apache-2.0
//
// Is an item that we write the same to @azure/cosmos, and its items to us? Every JSON type, ids and keys
// in many scripts, through an emulator that others wrote.
#include <gtest/gtest.h>

#include "live/cosmos/support/corpus.hpp"
#include "live/cosmos/support/stage.hpp"
#include "live/support/cosmos_server.hpp"
#include "live/support/npm.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::live {
namespace {

using cosmos::PartitionKey;

const cosmos::ContainerName shelf{"round", "trips"};

cosmos::ClientOptions options(const std::string& endpoint) {
    cosmos::ClientOptions options;
    options.endpoint = endpoint;
    options.key = chaos::emulator_key;
    return options;
}

void make_shelf(cosmos::Client& client) {
    const auto database = client.send(cosmos::CreateDatabase{shelf.database});
    ASSERT_TRUE(database) << to_string(database.error());
    const auto container = client.send(cosmos::CreateContainer{shelf, {"/pk"}});
    ASSERT_TRUE(container) << to_string(container.error());
}

struct CosmosRoundTrip : ::testing::Test {
    void SetUp() override {
        const std::string why = CosmosServer::missing();
        if (!why.empty()) GTEST_SKIP() << why;
        if (!js_missing().empty()) GTEST_SKIP() << js_missing();
        server.emplace();
        client = std::make_unique<cosmos::Client>(options(server->url()));
        make_shelf(*client);
    }

    void we_write() const {
        for (const CosmosSpecimen& one : specimens) {
            const auto made = client->send(cosmos::CreateItem{shelf, one.json, one.key});
            ASSERT_TRUE(made) << one.id << ": " << to_string(made.error());
        }
    }
    void we_read() const {
        for (const CosmosSpecimen& one : specimens) {
            const auto got = client->send(cosmos::ReadItem{shelf, one.id, one.key});
            ASSERT_TRUE(got) << one.id << ": " << to_string(got.error());
            EXPECT_EQ(meaning_of(got->json), meaning_of(one.json)) << one.id;
        }
    }
    void they(const char* how) const {
        const TempDir home;
        const std::string file = home.write("corpus.json", json_of(specimens));
        std::string said;
        EXPECT_EQ(run({node(), "--no-warnings", home_of_scripts + "/round_trip.mjs", how,
                       npm_path(""), server->url(), std::string{chaos::emulator_key},
                       shelf.database, shelf.container, file},
                      &said),
                  0)
            << said;
    }

    const std::vector<CosmosSpecimen> specimens = cosmos_corpus();
    std::optional<CosmosServer> server;
    std::unique_ptr<cosmos::Client> client;
};

TEST_F(CosmosRoundTrip, the_javascript_client_reads_what_we_wrote) {
    we_write();
    we_read();
    they("check");
}

TEST_F(CosmosRoundTrip, we_read_what_the_javascript_client_wrote) {
    they("write");
    we_read();
}

// The emulator is written in JavaScript, whose numbers are doubles; the gateway keeps the text.
TEST(CosmosDigits, numbers_that_no_double_holds_come_back_as_they_were_written) {
    auto gateway = chaos::CosmosGateway::start();
    ASSERT_TRUE(gateway) << to_string(gateway.error());
    cosmos::Client client{options((*gateway)->endpoint())};
    make_shelf(client);
    for (const std::string number :
         {"123456789012345678901234567890", "-18446744073709551616",
          "0.1000000000000000055511151231", "9007199254740993", "1e400"}) {
        const std::string json = R"({"id":"n","pk":"A","v":)" + number + "}";
        const auto made = client.send(cosmos::UpsertItem{shelf, json, PartitionKey{"A"}});
        ASSERT_TRUE(made) << number << ": " << to_string(made.error());
        const auto got = client.send(cosmos::ReadItem{shelf, "n", PartitionKey{"A"}});
        ASSERT_TRUE(got) << number << ": " << to_string(got.error());
        EXPECT_EQ(cosmos::read_text(got->json, "/v"), number);
    }
}

}  // namespace
}  // namespace perdure::live
