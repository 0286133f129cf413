// SPDX-License-Identifier: Apache-2.0
//
// Is an item that we write the same to awscli and to the JavaScript SDK, and theirs to us? Every type,
// with its edges.
#include <gtest/gtest.h>

#include "live/dynamodb/support/corpus.hpp"
#include "live/dynamodb/support/local_client.hpp"
#include "live/support/npm.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/json.hpp"
#include "perdure/dynamodb/put_item.hpp"

namespace perdure::live {
namespace {

using dynamodb::GetItem;
using dynamodb::PutItem;

const std::string awscli = "/usr/bin/aws";
const std::string home_of_scripts = PERDURE_DYNAMO_TESTS;

struct DynamoRoundTrip : ::testing::Test {
    void SetUp() override {
        const std::string why = DynamoServer::missing(Dynamo::dynoxide);
        if (!why.empty()) GTEST_SKIP() << why;
        server.emplace();
        server->create_table("orders");
        client.emplace(local(server->url()));
        file = home.write("corpus.json", json_of(specimens));
    }

    void we_write() {
        for (const Specimen& one : specimens) {
            const auto put = client->send(PutItem{"orders", one.item});
            ASSERT_TRUE(put) << one.name << ": " << to_string(put.error());
        }
    }
    void we_read() {
        for (const Specimen& one : specimens) {
            const auto got = client->send(GetItem{"orders", {{"pk", one.name}}}.consistent());
            ASSERT_TRUE(got) << one.name << ": " << to_string(got.error());
            ASSERT_TRUE(got->item) << one.name;
            EXPECT_TRUE(same_meaning(*got->item, one.item))
                << one.name << ": " << dynamodb::to_json(*got->item);
        }
    }
    // What the script says, and it ends well.
    static void expect_good(const std::vector<std::string>& command) {
        std::string said;
        EXPECT_EQ(run(command, &said), 0) << said;
    }
    std::vector<std::string> python_script(const char* how) {
        return {python(), "-B", home_of_scripts + "/round_trip.py", how, awscli, server->url(),
                "orders", file};
    }
    std::vector<std::string> node_script(const char* how) {
        return {node(),
                "--no-warnings",
                home_of_scripts + "/round_trip.mjs",
                how,
                npm_path(""),
                server->url(),
                "orders",
                file};
    }

    static std::string no_awscli() {
        return find_program("aws") == awscli ? "" : "awscli is not installed from Debian";
    }
    static std::string no_sdk() {
        const std::string why = npm_missing("@aws-sdk/client-dynamodb");
        return why.empty() ? node_missing() : why;
    }

    const std::vector<Specimen> specimens = corpus();
    TempDir home;
    std::string file;
    std::optional<DynamoServer> server;
    std::optional<dynamodb::Client> client;
};

TEST_F(DynamoRoundTrip, gives_back_what_we_wrote_ourselves) {
    we_write();
    we_read();
}

TEST_F(DynamoRoundTrip, reads_and_writes_the_services_json_as_written_by_hand) {
    for (const Specimen& one : specimens) {
        const auto read = dynamodb::item_from_json(one.json);
        ASSERT_TRUE(read) << one.name << ": " << to_string(read.error());
        EXPECT_TRUE(same_meaning(*read, one.item)) << one.name;
        const auto again = dynamodb::item_from_json(dynamodb::to_json(one.item));
        ASSERT_TRUE(again) << one.name;
        EXPECT_EQ(*again, one.item) << one.name;
    }
}

TEST_F(DynamoRoundTrip, awscli_reads_what_we_wrote) {
    if (!no_awscli().empty()) GTEST_SKIP() << no_awscli();
    we_write();
    expect_good(python_script("check"));
}

TEST_F(DynamoRoundTrip, we_read_what_awscli_wrote) {
    if (!no_awscli().empty()) GTEST_SKIP() << no_awscli();
    expect_good(python_script("write"));
    we_read();
}

TEST_F(DynamoRoundTrip, the_javascript_sdk_reads_what_we_wrote) {
    if (!no_sdk().empty()) GTEST_SKIP() << no_sdk();
    we_write();
    expect_good(node_script("check"));
}

TEST_F(DynamoRoundTrip, we_read_what_the_javascript_sdk_wrote) {
    if (!no_sdk().empty()) GTEST_SKIP() << no_sdk();
    expect_good(node_script("write"));
    we_read();
}

}  // namespace
}  // namespace perdure::live
