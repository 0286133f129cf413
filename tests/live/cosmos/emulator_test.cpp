// SPDX-License-Identifier: Apache-2.0
//
// Does our fake gateway answer everyday requests as an emulator does that others wrote? Two clients of
// Microsoft's ask both; signatures are checked by the gateway only.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "live/cosmos/support/stage.hpp"
#include "live/support/cosmos_server.hpp"
#include "live/support/npm.hpp"

namespace perdure::live {
namespace {

// Where the two differ by what the service's documentation says, it is the emulator's fault.
struct Difference {
    std::string gateway{};
    std::string emulator{};
};
using Differences = std::map<std::string, Difference>;  // by step

const std::string key{chaos::emulator_key};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// {"step": "create", …}: what stands between the quotes of the second string.
std::string step_of(const std::string& line) {
    const auto name = line.find("\"step\"");
    const auto from = line.find('"', name + 6) + 1;
    return line.substr(from, line.find('"', from) - from);
}

// What the emulator lacks: partition keys of feeds, batches that are all or nothing.
Differences gaps() {
    return {
        {"read all of a partition",
         {R"({"step":"read all of a partition","status":200,"has":["1","2","3","4","5","6","7"]})",
          R"({"step":"read all of a partition","status":200,"has":["1","1","2","3","4","5","6","7"]})"}},
        {"a batch with an upsert and a read",
         {R"({"step":"a batch with an upsert and a read","status":200,"has":[200,200]})",
          R"({"step":"a batch with an upsert and a read","status":"Batch request error: )"
          R"(Failed to parse x-ms-documentdb-partitionkey headers: undefined"})"}},
        {"a batch with a conflict",
         {R"({"step":"a batch with a conflict","status":207,"has":[424,409,424]})",
          R"({"step":"a batch with a conflict","status":200,"has":[201,409,424]})"}},
        {"what it left behind",
         {R"({"step":"what it left behind","status":404})",
          R"({"step":"what it left behind","status":200,"has":{"id":"b3","pk":"A"}})"}},
    };
}

struct CosmosSecondOpinion : ::testing::Test {
    void SetUp() override {
        if (!CosmosServer::missing().empty()) GTEST_SKIP() << CosmosServer::missing();
        emulator.emplace();
        auto started = chaos::CosmosGateway::start();
        ASSERT_TRUE(started) << to_string(started.error());
        gateway = *std::move(started);
    }

    static std::vector<std::string> said(std::vector<std::string> command,
                                         const std::string& endpoint) {
        command.insert(command.end(), {endpoint, key, "second"});
        std::string output;
        EXPECT_EQ(run(command, &output), 0) << output;
        return lines_of(output);
    }

    void compare(const std::vector<std::string>& command, Differences known) const {
        const auto ours = said(command, gateway->endpoint());
        const auto theirs = said(command, emulator->url());
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) {
            const auto difference = known.extract(step_of(ours[i]));
            if (difference.empty()) {
                EXPECT_EQ(ours[i], theirs[i]);
            } else {
                EXPECT_EQ(ours[i], difference.mapped().gateway);
                EXPECT_EQ(theirs[i], difference.mapped().emulator);
            }
        }
        for (const auto& [step, unused] : known) ADD_FAILURE() << "no such step: " << step;
    }

    std::optional<CosmosServer> emulator;
    std::unique_ptr<chaos::CosmosGateway> gateway;
};

TEST_F(CosmosSecondOpinion, gateway_and_emulator_answer_the_javascript_client_alike) {
    if (!js_missing().empty()) GTEST_SKIP() << js_missing();
    compare({node(), "--no-warnings", home_of_scripts + "/basics.mjs", npm_path("")}, gaps());
}

std::string python_client_missing() {
    if (run({debian_python(), "-c", "import azure.cosmos.cosmos_client"}) == 0) return {};
    return "python3-azure-cosmos is not installed from Debian";
}

TEST_F(CosmosSecondOpinion, gateway_and_emulator_answer_debians_python_client_alike) {
    if (!python_client_missing().empty()) GTEST_SKIP() << python_client_missing();
    compare({debian_python(), "-B", home_of_scripts + "/basics.py"}, {});
}

TEST(CosmosSignature, a_client_of_others_with_the_wrong_key_is_refused) {
    if (!python_client_missing().empty()) GTEST_SKIP() << python_client_missing();
    auto gateway = chaos::CosmosGateway::start();
    ASSERT_TRUE(gateway) << to_string(gateway.error());
    std::string said;
    EXPECT_NE(run({debian_python(), "-B", home_of_scripts + "/basics.py", (*gateway)->endpoint(),
                   "d3Jvbmcga2V5", "second"},
                  &said),
              0);
    EXPECT_NE(said.find("Status code: 401"), std::string::npos) << said;
}

}  // namespace
}  // namespace perdure::live
