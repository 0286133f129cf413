// SPDX-License-Identifier: Apache-2.0
//
// Are parts of ranges, changes since a time and metadata answered as they were asked for, and is
// what is not served refused by name?
#include <string>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

class Feeds : public ::testing::Test {
protected:
    Feeds() {
        account.furnish();
        for (const char* key : {"A", "B", "C"})
            for (const char* id : {"1", "2"}) create(key, id);
    }
    void create(const std::string& key, const std::string& id) const {
        EXPECT_EQ(account
                      .ask("East US",
                           "POST /dbs/d/colls/c/docs HTTP/1.1\n"
                           "x-ms-documentdb-partitionkey: [\"" +
                               key + "\"]\n",
                           R"({"id":")" + id + R"(","pk":")" + key + "\"}")
                      .status(),
                  "201");
    }
    [[nodiscard]] Reply feed(const std::string& headers) const {
        return account.ask("East US", "GET /dbs/d/colls/c/docs HTTP/1.1\n" + headers);
    }
    [[nodiscard]] Reply changes(const std::string& headers) const {
        return feed("A-IM: Incremental Feed\n" + headers);
    }
    [[nodiscard]] Reply query(const std::string& path, const std::string& text,
                              const std::string& headers = "") const {
        return account.ask("East US",
                           "POST " + path +
                               " HTTP/1.1\nx-ms-documentdb-isquery: True\n"
                               "Content-Type: application/query+json\n" +
                               headers,
                           "{\"query\":\"" + text + "\"}");
    }

    FakeAccount account;
    static constexpr const char* range = "x-ms-documentdb-partitionkeyrangeid: 0\n";
    // The effective keys of A, B and C (version 2), in their order, lie around these.
    [[nodiscard]] static std::string part(const std::string& from, const std::string& to) {
        return "x-ms-start-epk: " + from + "\nx-ms-end-epk: " + to + "\n";
    }
    static std::size_t count(const Reply& reply) {
        const std::string digits = reply.header("x-ms-item-count");
        return digits.empty() ? 99 : static_cast<std::size_t>(std::stoi(digits));
    }
};

TEST_F(Feeds, give_the_part_of_a_range_that_effective_keys_bound) {
    // Cut the keys in two anywhere: the parts together are the whole, and no part is the whole.
    std::size_t proper = 0;
    for (const char* middle : {"0C", "15", "20", "2A", "35"}) {
        const std::size_t low = count(feed(range + part("", middle)));
        const std::size_t high = count(feed(range + part(middle, "FF")));
        EXPECT_EQ(low + high, 6U) << middle;
        EXPECT_EQ(low % 2, 0U) << middle;  // items of a key stay together
        if (low > 0 && high > 0) ++proper;
        const std::string both = range + std::string{"x-ms-max-item-count: 100\n"};
        EXPECT_EQ(count(changes(both + part("", middle))), low) << middle;
        EXPECT_EQ(count(query("/dbs/d/colls/c/docs", "SELECT * FROM c", range + part("", middle))),
                  low)
            << middle;
        // The ranges may also be found by the bounds alone.
        EXPECT_EQ(count(changes(part("", middle))), low) << middle;
    }
    EXPECT_GT(proper, 0U);
    for (const std::string& wrong :
         {part("0C", "0C"), part("20", "0C"), part("0c", "FF"), part("x", "FF"),
          std::string{"x-ms-start-epk: 0C\n"}, std::string{"x-ms-end-epk: 0C\n"}}) {
        EXPECT_EQ(feed(range + wrong).status(), "400") << wrong;
        EXPECT_EQ(changes(range + wrong).status(), "400") << wrong;
    }
}

TEST_F(Feeds, of_changes_can_begin_at_a_time) {
    account.pass(10s);
    // The clock of these tests begins at 03:04:05 GMT.
    const std::string now = "If-Modified-Since: Fri, 02 Jan 2026 03:04:15 GMT\n";
    const Reply none = changes(range + now);
    EXPECT_EQ(none.status(), "304");
    create("A", "new");
    const Reply some = changes(range + now);
    EXPECT_EQ(count(some), 1U);
    EXPECT_NE(some.body.find(R"("_lsn":7})"), std::string::npos);
    // The etag alone leads on, without the time.
    EXPECT_EQ(count(changes(range + ("If-None-Match: " + none.header("etag") + '\n'))), 1U);
    EXPECT_EQ(count(changes(range)), 7U);
    EXPECT_EQ(changes(std::string{range} + "If-Modified-Since: yesterday\n").status(), "400");
}

TEST_F(Feeds, of_all_versions_are_refused) {
    const Reply refused = feed(std::string{range} + "A-IM: Full-Fidelity Feed\n");
    EXPECT_EQ(refused.status(), "400");
    EXPECT_NE(refused.body.find("all versions and deletes"), std::string::npos);
}

TEST_F(Feeds, of_databases_and_containers_can_be_queried) {
    EXPECT_EQ(account.ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"e"})").status(), "201");
    EXPECT_EQ(count(query("/dbs", "SELECT * FROM root r WHERE r.id = 'e'")), 1U);
    EXPECT_EQ(count(query("/dbs", "SELECT * FROM root r")), 2U);
    EXPECT_NE(query("/dbs", "SELECT VALUE r.id FROM r WHERE r.id != 'e'")
                  .body.find(R"("Databases":["d"])"),
              std::string::npos);
    EXPECT_EQ(count(query("/dbs/d/colls", "SELECT * FROM c WHERE c.id = 'x'")), 0U);
    EXPECT_EQ(count(query("/dbs/d/colls", "SELECT * FROM c WHERE c.id = 'c'")), 1U);
    EXPECT_EQ(query("/dbs", "SELECT * FROM r ORDER BY r.id").status(), "400");
    EXPECT_EQ(query("/dbs", "SELECT nonsense").status(), "400");
}

TEST_F(Feeds, of_what_is_not_served_are_refused_by_name) {
    const std::pair<const char*, const char*> refused[] = {
        {"POST /dbs/d/colls/c/operations/partitionkeydelete", "Deletes of a whole partition key"},
        {"POST /dbs/d/colls/c/sprocs", "sprocs"},
        {"GET /dbs/d/users", "users"}};
    for (const auto& [request, name] : refused) {
        const Reply reply =
            account.ask("East US", std::string{request} + " HTTP/1.1\n", R"({"id":"x"})");
        EXPECT_EQ(reply.status(), "400") << request;
        EXPECT_NE(reply.body.find(name), std::string::npos) << request << reply.body;
    }
}

TEST_F(Feeds, of_offers_are_the_throughput_that_was_asked_for_or_the_usual) {
    EXPECT_EQ(
        account
            .ask("global", "POST /dbs HTTP/1.1\nx-ms-offer-throughput: 500\n", R"({"id":"shared"})")
            .status(),
        "201");
    EXPECT_EQ(account
                  .ask("global", "POST /dbs/shared/colls HTTP/1.1\n",
                       R"({"id":"in","partitionKey":{"paths":["/pk"]}})")
                  .status(),
              "201");
    EXPECT_EQ(account
                  .ask("global",
                       "POST /dbs/d/colls HTTP/1.1\n"
                       "x-ms-cosmos-offer-autopilot-settings: {\"maxThroughput\":4000}\n",
                       R"({"id":"auto","partitionKey":{"paths":["/pk"]}})")
                  .status(),
              "201");
    const auto of = [&](const std::string& path) {
        const Reply its = account.ask("global", "GET " + path + " HTTP/1.1\n");
        return query("/offers",
                     "SELECT * FROM root WHERE root.resource = '" + its.member("_self") + "'");
    };
    EXPECT_EQ(count(of("/dbs/d")), 0U);
    EXPECT_EQ(count(of("/dbs/shared/colls/in")), 0U);
    EXPECT_NE(of("/dbs/shared").body.find(R"("offerThroughput":500)"), std::string::npos);
    EXPECT_NE(of("/dbs/d/colls/c").body.find(R"("offerThroughput":400)"), std::string::npos);
    const Reply scaled = of("/dbs/d/colls/auto");
    EXPECT_NE(scaled.body.find(R"("offerAutopilotSettings":{"maxThroughput":4000})"),
              std::string::npos);
    EXPECT_NE(scaled.body.find(R"("offerThroughput":400,)"), std::string::npos) << scaled.body;
    const std::string offer = of("/dbs/d/colls/c").member("id");
    const auto replace = [&](const std::string& rid) {
        return account.ask("global", "PUT /offers/" + offer + " HTTP/1.1\n",
                           R"({"_rid":")" + rid + R"(","content":{"offerThroughput":700}})");
    };
    EXPECT_EQ(replace("other").status(), "400");
    EXPECT_EQ(replace(offer).status(), "200");
    EXPECT_NE(of("/dbs/d/colls/c").body.find(R"("offerThroughput":700)"), std::string::npos);
    EXPECT_EQ(account.ask("global", "DELETE /dbs/d/colls/c HTTP/1.1\n").status(), "204");
    EXPECT_EQ(account.ask("global", "GET /offers/" + offer + " HTTP/1.1\n").status(), "404");
}

TEST_F(Feeds, refuse_a_request_that_was_made_for_a_container_before) {
    const auto rid = [&] {
        return account.ask("East US", "GET /dbs/d/colls/c HTTP/1.1\n").member("_rid");
    };
    const std::string before = "x-ms-cosmos-intended-collection-rid: " + rid() + '\n';
    EXPECT_EQ(account.read("East US", "1", before).status(), "200");
    EXPECT_EQ(account.ask("global", "DELETE /dbs/d/colls/c HTTP/1.1\n").status(), "204");
    EXPECT_EQ(account
                  .ask("global", "POST /dbs/d/colls HTTP/1.1\n",
                       R"({"id":"c","partitionKey":{"paths":["/other"]}})")
                  .status(),
              "201");
    EXPECT_EQ(account.read("East US", "1", before).status(), "400/1024");
    EXPECT_EQ(feed(before).status(), "400/1024");
    const std::string now = "x-ms-cosmos-intended-collection-rid: " + rid() + '\n';
    EXPECT_EQ(account.read("East US", "1", now).status(), "404");
}

TEST(Prefixes, of_hierarchical_keys_are_served_by_their_bounds) {
    GatewayOptions options;
    options.partitions = 4;
    const FakeAccount account{options};
    EXPECT_EQ(account.ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"d"})").status(), "201");
    EXPECT_EQ(account
                  .ask("global", "POST /dbs/d/colls HTTP/1.1\n",
                       R"({"id":"c","partitionKey":{"paths":["/t","/u"],"kind":"MultiHash",)"
                       R"("version":2}})")
                  .status(),
              "201");
    for (const char* tenant : {"A", "B"})
        for (const char* user : {"x", "y"})
            EXPECT_EQ(
                account
                    .ask("East US",
                         std::string{"POST /dbs/d/colls/c/docs HTTP/1.1\n"
                                     "x-ms-documentdb-partitionkey: [\""} +
                             tenant + "\",\"" + user + "\"]\n",
                         std::string{R"({"id":"1","t":")"} + tenant + R"(","u":")" + user + "\"}")
                    .status(),
                "201");
    // The effective key of the first value is where its items begin; "FF" behind it, where they end.
    const std::string a = "14F53A0810CE6727EB1CD722D321216F";  // of ["A"]
    const Reply its = account.ask("East US",
                                  "POST /dbs/d/colls/c/docs HTTP/1.1\n"
                                  "x-ms-documentdb-isquery: True\n"
                                  "Content-Type: application/query+json\n"
                                  "x-ms-documentdb-query-enablecrosspartition: True\n"
                                  "x-ms-start-epk: " +
                                      a + "\nx-ms-end-epk: " + a + "FF\n",
                                  R"({"query":"SELECT VALUE c.t FROM c"})");
    EXPECT_EQ(its.status(), "200");
    EXPECT_NE(its.body.find(R"("Documents":["A","A"])"), std::string::npos) << its.body;
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
