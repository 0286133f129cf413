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

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
