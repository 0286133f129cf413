// SPDX-License-Identifier: Apache-2.0
//
// Do items behave as the service's do? Statuses, etags, keys, patches, batches.
#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

class Items : public ::testing::Test {
protected:
    Items() { account.furnish(); }

    [[nodiscard]] Reply item(const std::string& method, const std::string& id,
                             const std::string& body = "", const std::string& headers = "") const {
        return account.ask("East US",
                           method + " /dbs/d/colls/c/docs/" + id +
                               " HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n" + headers,
                           body);
    }
    [[nodiscard]] Reply post(const std::string& body, const std::string& headers = "",
                             const std::string& key = R"(["A"])") const {
        return account.ask("East US",
                           "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: " +
                               key + '\n' + headers,
                           body);
    }

    FakeAccount account;
};

TEST_F(Items, are_created_once) {
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})").line, "HTTP/1.1 201 Created");
    const Reply again = post(R"({"id":"1","pk":"A"})");
    EXPECT_EQ(again.line, "HTTP/1.1 409 Conflict");
    EXPECT_EQ(again.header("x-ms-session-token"), "0:1#1#1=1");
    EXPECT_EQ(post(R"({"id":"1","pk":"B"})", "", R"(["B"])").status(), "201");
}

TEST_F(Items, are_read_with_etags) {
    const std::string etag = post(R"({"id":"1","pk":"A"})").header("etag");
    EXPECT_EQ(item("GET", "1").header("etag"), etag);
    const Reply known = item("GET", "1", "", "If-None-Match: " + etag + '\n');
    EXPECT_EQ(known.line, "HTTP/1.1 304 Not Modified");
    EXPECT_EQ(known.body, "");
    EXPECT_EQ(item("GET", "2").status(), "404");
}

TEST_F(Items, are_replaced_only_as_they_were_seen) {
    const std::string etag = post(R"({"id":"1","pk":"A"})").header("etag");
    const std::string body = R"({"id":"1","pk":"A","n":2})";
    EXPECT_EQ(item("PUT", "1", body, "If-Match: \"other\"\n").status(), "412");
    const Reply replaced = item("PUT", "1", body, "If-Match: " + etag + '\n');
    EXPECT_EQ(replaced.status(), "200");
    EXPECT_NE(replaced.header("etag"), etag);
    EXPECT_EQ(item("PUT", "1", body, "If-Match: " + etag + '\n').status(), "412");
    EXPECT_EQ(item("PUT", "2", R"({"id":"2","pk":"A"})").status(), "404");
}

TEST_F(Items, may_have_a_question_mark_in_their_id) {
    EXPECT_EQ(post(R"({"id":"a?b","pk":"A"})").status(), "201");
    EXPECT_EQ(item("GET", "a%3Fb").member("id"), "a?b");
    EXPECT_EQ(item("GET", "a?b").member("id"), "a?b");  // as @azure/cosmos writes it
    EXPECT_EQ(item("PUT", "a%3Fb", R"({"id":"a?b","pk":"A","n":1})").status(), "200");
    EXPECT_EQ(item("DELETE", "a%3Fb").status(), "204");
    EXPECT_EQ(account.ask("global", "POST /dbs HTTP/1.1\n", R"({"id":"a?b"})").status(), "400");
}

TEST_F(Items, may_be_replaced_under_another_id_of_their_partition) {
    const Reply made = post(R"({"id":"1","pk":"A"})");
    EXPECT_EQ(post(R"({"id":"taken","pk":"A"})").status(), "201");
    EXPECT_EQ(item("PUT", "1", R"({"id":"taken","pk":"A"})").status(), "409");
    EXPECT_EQ(item("PUT", "1", R"({"id":"a/b","pk":"A"})").status(), "400");
    EXPECT_EQ(item("PUT", "1", R"({"id":"2","pk":"B"})").status(), "400/1001");
    EXPECT_EQ(item("PUT", "1", R"({"id":"2","pk":"A"})", "If-Match: \"old\"\n").status(), "412");
    const Reply renamed =
        item("PUT", "1", R"({"id":"2","pk":"A"})", "If-Match: " + made.header("etag") + '\n');
    EXPECT_EQ(renamed.status(), "200");
    EXPECT_EQ(renamed.member("_rid"), made.member("_rid"));
    EXPECT_EQ(item("GET", "1").status(), "404");
    EXPECT_EQ(item("GET", "2").status(), "200");
    EXPECT_EQ(account.gateway->items("d", "c", "East US"), 2U);
    const auto last = account.gateway->writes({"d", "c", R"(["A"])", "2"});
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].kind, WriteKind::replaced);
    EXPECT_EQ(account.gateway->writes({"d", "c", R"(["A"])", "1"}).back().kind, WriteKind::deleted);
}

TEST_F(Items, are_upserted_as_201_then_200) {
    const std::string upsert = "x-ms-documentdb-is-upsert: True\n";
    const Reply made = post(R"({"id":"1","pk":"A"})", upsert + "If-Match: \"none yet\"\n");
    EXPECT_EQ(made.status(), "201");
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})", upsert).status(), "200");
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})", upsert + "If-Match: \"old\"\n").status(), "412");
}

TEST_F(Items, are_deleted_once) {
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})").status(), "201");
    EXPECT_EQ(item("DELETE", "1", "", "If-Match: \"old\"\n").status(), "412");
    const Reply gone = item("DELETE", "1");
    EXPECT_EQ(gone.line, "HTTP/1.1 204 No Content");
    EXPECT_EQ(gone.body, "");
    EXPECT_EQ(item("DELETE", "1").status(), "404");
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})").status(), "201");
}

TEST_F(Items, answer_without_a_body_where_that_is_preferred) {
    const Reply made = post(R"({"id":"1","pk":"A"})", "Prefer: return=minimal\n");
    EXPECT_EQ(made.status(), "201");
    EXPECT_EQ(made.body, "");
    EXPECT_NE(made.header("etag"), "");
}

TEST_F(Items, that_are_not_good_are_refused) {
    const std::pair<std::string, std::string> bad[] = {
        {R"({"id":"a/b","pk":"A"})", "400"},
        {R"({"id":"a\\b","pk":"A"})", "400"},
        {R"({"id":"a#b","pk":"A"})", "400"},
        {R"({"pk":"A"})", "400"},
        {R"({"id":"1","pk":"B"})", "400/1001"},
        {R"({"id":"1"})", "400/1001"},
        {R"([1])", "400"},
        {R"({"id":"1",)", "400"},
        {R"({"id":")" + std::string(1024, 'x') + R"(","pk":"A"})", "400"},
        {R"({"id":"1","pk":"A","big":")" + std::string(2'097'152, 'x') + R"("})", "413"}};
    for (const auto& [body, status] : bad)
        EXPECT_EQ(post(body).status(), status) << body.substr(0, 40);
    EXPECT_EQ(
        account.ask("East US", "POST /dbs/d/colls/c/docs HTTP/1.1\n", R"({"id":"1","pk":"A"})")
            .status(),
        "400");
    EXPECT_EQ(post(R"({"id":")" + std::string(1023, 'x') + R"(","pk":"A"})").status(), "201");
}

TEST_F(Items, are_found_by_every_kind_of_key) {
    const std::pair<std::string, std::string> keys[] = {
        {R"("B")", R"(["B"])"}, {"42", "[42]"},     {"4.2e1", "[42.0]"},
        {"true", "[true]"},     {"null", "[null]"}, {R"("Zürich")", R"(["Z\u00fcrich"])"}};
    int id = 0;
    for (const auto& [value, header] : keys)
        EXPECT_EQ(
            post("{\"id\":\"k" + std::to_string(++id) + "\",\"pk\":" + value + "}", "", header)
                .status(),
            "201")
            << header;
    EXPECT_EQ(post(R"({"id":"none"})", "", "[{}]").status(), "201");
}

TEST_F(Items, are_patched) {
    EXPECT_EQ(post(R"({"id":"1","pk":"A","n":1,"list":[1],"in":{"x":1}})").status(), "201");
    const Reply patched = item("PATCH", "1", R"({"operations":[
        {"op":"incr","path":"/n","value":2},{"op":"add","path":"/list/-","value":2},
        {"op":"set","path":"/new","value":"v"},{"op":"replace","path":"/in/x","value":5},
        {"op":"move","from":"/new","path":"/moved"},{"op":"remove","path":"/list/0"}]})");
    EXPECT_EQ(patched.status(), "200");
    EXPECT_EQ(patched.body.substr(0, 66),
              R"({"id":"1","pk":"A","n":3,"list":[2],"in":{"x":5},"moved":"v","_rid)");
    const std::string conditional = R"(","operations":[{"op":"incr","path":"/n","value":1}]})";
    EXPECT_EQ(item("PATCH", "1", R"({"condition":"from c where c.n = 4)" + conditional).status(),
              "412");
    EXPECT_EQ(item("PATCH", "1", R"({"condition":"from c where c.n = 3)" + conditional).status(),
              "200");
    EXPECT_EQ(
        item("PATCH", "1", R"({"operations":[{"op":"set","path":"/id","value":"2"}]})").status(),
        "400");
    EXPECT_EQ(item("PATCH", "1", R"({"operations":[{"op":"remove","path":"/no"}]})").status(),
              "400");
    EXPECT_EQ(item("PATCH", "9", R"({"operations":[{"op":"set","path":"/n","value":2}]})").status(),
              "404");
}

TEST_F(Items, change_together_or_not_at_all) {
    const std::string batch =
        "x-ms-cosmos-is-batch-request: True\nx-ms-cosmos-batch-atomic: True\n";
    const Reply all = post(R"([{"operationType":"Create","resourceBody":{"id":"1","pk":"A"}},
        {"operationType":"Upsert","resourceBody":{"id":"2","pk":"A"}},
        {"operationType":"Read","id":"1"},
        {"operationType":"Patch","id":"2","resourceBody":{"operations":[{"op":"set","path":"/n","value":1}]}},
        {"operationType":"Replace","id":"1","resourceBody":{"id":"1","pk":"A","n":2}},
        {"operationType":"Delete","id":"2"}])",
                           batch);
    EXPECT_EQ(all.line, "HTTP/1.1 200 Ok");
    EXPECT_EQ(item("GET", "1").status() + item("GET", "2").status(), "200404");
    const Reply none = post(R"([{"operationType":"Create","resourceBody":{"id":"3","pk":"A"}},
        {"operationType":"Replace","id":"1","ifMatch":"\"old\"","resourceBody":{"id":"1","pk":"A"}},
        {"operationType":"Delete","id":"1"}])",
                            batch);
    EXPECT_EQ(none.line, "HTTP/1.1 207 Multi-Status");
    EXPECT_EQ(none.body, R"([{"statusCode":424,"requestCharge":0.00},)"
                         R"({"statusCode":412,"requestCharge":1.00,)"
                         R"("message":"One of the specified pre-condition is not met"},)"
                         R"({"statusCode":424,"requestCharge":0.00}])");
    EXPECT_EQ(item("GET", "3").status() + item("GET", "1").status(), "404200");
}

TEST_F(Items, applied_are_in_the_book_of_writes) {
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})", "x-ms-activity-id: one\n").status(), "201");
    EXPECT_EQ(post(R"({"id":"1","pk":"A"})", "x-ms-activity-id: two\n").status(), "409");
    EXPECT_EQ(item("DELETE", "1", "", "x-ms-activity-id: three\n").status(), "204");
    const auto writes = account.gateway->writes({"d", "c", R"(["A"])", "1"});
    ASSERT_EQ(writes.size(), 2U);
    EXPECT_EQ(writes[0].activity_id, "one");
    EXPECT_EQ(writes[0].kind, WriteKind::created);
    EXPECT_EQ(writes[1].activity_id, "three");
    EXPECT_EQ(writes[1].kind, WriteKind::deleted);
    EXPECT_EQ(writes[1].lsn, 2U);
    const auto records = account.gateway->records();
    ASSERT_EQ(records.size(), 5U);  // with the database and the container
    EXPECT_EQ(records[3].status, 409);
    EXPECT_EQ(records[3].partition_key, R"(["A"])");
}

TEST(Containers, know_hierarchical_keys_and_their_beginnings) {
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
    const std::string head = "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: ";
    for (const char* user : {"u1", "u2", "u3"}) {
        const std::string key = std::string{R"(["T",")"} + user + "\"]";
        const std::string body = std::string{R"({"id":"1","t":"T","u":")"} + user + R"("})";
        EXPECT_EQ(account.ask("East US", head + key + '\n', body).status(), "201");
    }
    const Reply some = account.ask("East US",
                                   head + "[\"T\"]\nx-ms-documentdb-isquery: true\n"
                                          "Content-Type: application/query+json\n",
                                   R"({"query":"SELECT VALUE c.u FROM c"})");
    EXPECT_EQ(some.status(), "200");
    EXPECT_EQ(some.header("x-ms-item-count"), "3");
    EXPECT_EQ(account.ask("East US", head + "[\"T\"]\n", R"({"id":"2","t":"T","u":"u"})").status(),
              "400");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
