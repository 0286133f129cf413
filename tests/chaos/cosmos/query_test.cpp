// SPDX-License-Identifier: Apache-2.0
//
// Which queries are understood, in one partition and across them, and how do pages go on?
#include <algorithm>
#include <string>
#include <vector>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

class Queries : public ::testing::Test {
protected:
    Queries() : account{four_partitions()} {
        account.furnish();
        for (int i = 0; i < 12; ++i) {
            const std::string key = std::string{"\""} + static_cast<char>('A' + i % 3) + '"';
            EXPECT_EQ(
                account
                    .ask("East US",
                         "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [" +
                             key + "]\n",
                         "{\"id\":\"" + std::to_string(i) + "\",\"pk\":" + key +
                             ",\"n\":" + std::to_string(i) +
                             ",\"in\":{\"even\":" + (i % 2 == 0 ? "true" : "false") + "}}")
                    .status(),
                "201");
        }
    }
    static GatewayOptions four_partitions() {
        GatewayOptions options;
        options.partitions = 4;
        return options;
    }
    static constexpr const char* in_a = "x-ms-documentdb-partitionkey: [\"A\"]\n";
    static constexpr const char* across = "x-ms-documentdb-query-enablecrosspartition: True\n";

    [[nodiscard]] Reply query(const std::string& text, const std::string& headers,
                              const std::string& parameters = "[]") const {
        return account.ask("East US",
                           "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-isquery: True\n"
                           "Content-Type: application/query+json\n" +
                               headers,
                           "{\"query\":\"" + text + "\",\"parameters\":" + parameters + "}");
    }
    // The array alone.
    [[nodiscard]] static std::string documents(const Reply& reply) {
        const std::size_t from = reply.body.find("\"Documents\":") + 12;
        return reply.body.substr(from, reply.body.rfind(",\"_count\"") - from);
    }

    FakeAccount account;
};

TEST_F(Queries, are_understood_within_a_partition) {
    const std::pair<std::string, std::string> table[] = {
        {"SELECT VALUE c.n FROM c", "[0,3,6,9]"},
        {"select value x.n from x where x.n > 3", "[6,9]"},
        {"SELECT VALUE c.n FROM c WHERE c.n >= 3 AND c.n <= 6", "[3,6]"},
        {"SELECT VALUE c.n FROM c WHERE c.n = 3 OR (c.n != 6 AND NOT c.n < 9)", "[3,9]"},
        {"SELECT VALUE c.n FROM c WHERE c.in.even = true", "[0,6]"},
        {"SELECT VALUE c.n FROM c WHERE c['in']['even'] = true AND c.id IN ('0','1')", "[0]"},
        {"SELECT VALUE c.n FROM c WHERE c.n = @n", "[6]"},
        {"SELECT VALUE c.n FROM c WHERE c.n = '6'", "[]"},
        {"SELECT VALUE c.n FROM c WHERE IS_DEFINED(c.none)", "[]"},
        {"SELECT VALUE c.n FROM c ORDER BY c.n DESC", "[9,6,3,0]"},
        {"SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 1 LIMIT 2", "[3,6]"},
        {"SELECT TOP 2 VALUE c.n FROM c", "[0,3]"},
        {"SELECT c.id, c.in.even AS e FROM c WHERE c.n = 3", R"([{"id":"3","e":false}])"},
        {"SELECT VALUE COUNT(1) FROM c", "[4]"},
        {"SELECT COUNT(1) AS many FROM c WHERE c.n > 3", R"([{"many":2}])"}};
    for (const auto& [text, answer] : table) {
        const Reply reply = query(text, in_a, R"([{"name":"@n","value":6}])");
        EXPECT_EQ(reply.status(), "200") << text << reply.body;
        EXPECT_EQ(documents(reply), answer) << text;
    }
}

TEST_F(Queries, that_are_not_understood_are_400) {
    for (const char* text :
         {"", "SELECT", "SELECT * FROM", "SELECT * FROM c WHERE", "DELETE FROM c",
          "SELECT * FROM c WHERE c.n = @unknown", "SELECT * FROM c WHERE d.n = 1",
          "SELECT * FROM c GROUP BY c.n", "SELECT * FROM c WHERE c.n = 'open"})
        EXPECT_EQ(query(text, in_a).status(), "400") << text;
}

TEST_F(Queries, across_partitions_have_to_be_plain) {
    EXPECT_EQ(query("SELECT VALUE c.n FROM c WHERE c.n < 3", "").status(), "400");
    EXPECT_EQ(query("SELECT VALUE c.n FROM c", across).header("x-ms-item-count"), "12");
    for (const char* text : {"SELECT * FROM c ORDER BY c.n", "SELECT VALUE COUNT(1) FROM c",
                             "SELECT * FROM c OFFSET 0 LIMIT 1"})
        EXPECT_EQ(query(text, across).status(), "400/1004") << text;
    EXPECT_EQ(query("SELECT * FROM c ORDER BY c.n",
                    std::string{across} + "x-ms-documentdb-partitionkeyrangeid: 0\n")
                  .status(),
              "200");
}

TEST_F(Queries, go_on_where_they_stopped_also_over_a_split) {
    std::vector<std::string> seen;
    std::string on;
    for (int page = 0; page < 20; ++page) {
        const Reply reply =
            query("SELECT VALUE c.n FROM c",
                  std::string{across} + "x-ms-max-item-count: 1\n" + (on.empty() ? "" : on));
        ASSERT_EQ(reply.status(), "200");
        if (const std::string all = documents(reply); all != "[]") seen.push_back(all);
        if (reply.header("x-ms-continuation").empty()) break;
        on = "x-ms-continuation: " + reply.header("x-ms-continuation") + '\n';
        for (const char* range : {"0", "1", "2"})
            if (page == 1) {
                ASSERT_TRUE(account.gateway->split({"d", "c", range}));
            }
    }
    std::ranges::sort(seen);
    EXPECT_EQ(seen.size(), 12U);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

TEST_F(Queries, by_range_give_each_item_once) {
    std::size_t count = 0;
    for (const char* range : {"0", "1", "2", "3"}) {
        const Reply part =
            account.ask("East US", std::string{"GET /dbs/d/colls/c/docs HTTP/1.1\n"
                                               "x-ms-documentdb-partitionkeyrangeid: "} +
                                       range + '\n');
        EXPECT_EQ(part.status(), "200");
        count += static_cast<std::size_t>(std::stoi(part.header("x-ms-item-count")));
    }
    EXPECT_EQ(count, 12U);
}

TEST_F(Queries, have_plans_if_they_are_plain) {
    const std::string plan = "x-ms-cosmos-is-query-plan-request: True\n";
    const Reply plain = query("SELECT * FROM c", plan);
    EXPECT_EQ(plain.status(), "200");
    EXPECT_NE(plain.body.find(R"("queryRanges":[{"min":"","max":"FF")"), std::string::npos);
    EXPECT_EQ(query("SELECT * FROM c ORDER BY c.n", plan).status(), "400");
}

TEST_F(Queries, see_changes_since_a_place) {
    const std::string feed =
        std::string{"GET /dbs/d/colls/c/docs HTTP/1.1\nA-IM: Incremental Feed\n"} + in_a;
    const Reply all = account.ask("East US", feed);
    EXPECT_EQ(all.header("x-ms-item-count"), "4");
    const std::string since = "If-None-Match: " + all.header("etag") + '\n';
    EXPECT_EQ(account.ask("East US", feed + since).status(), "304");
    EXPECT_EQ(account.create("East US", "new").status(), "201");
    EXPECT_EQ(account.ask("East US", feed + since).header("x-ms-item-count"), "1");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
