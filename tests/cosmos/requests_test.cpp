// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/requests.hpp"

#include "cosmos/describing.hpp"
#include "cosmos/orders.hpp"
#include "perdure/cosmos/wire/limits.hpp"

namespace perdure::cosmos {
namespace {

TEST(Requests, say_what_the_service_documents) {
    EXPECT_EQ(told(ReadItem{orders, "o-1", key_a}), "GET /dbs/shop/colls/orders/docs/o-1\n"
                                                    "docs dbs/shop/colls/orders/docs/o-1\n"
                                                    "x-ms-documentdb-partitionkey: [\"A\"]\n");
    EXPECT_EQ(
        told(ReadItem{orders, "o-1", key_a}.unless("\"e\"").consistency(Consistency::eventual)),
        "GET /dbs/shop/colls/orders/docs/o-1\n"
        "docs dbs/shop/colls/orders/docs/o-1\n"
        "x-ms-documentdb-partitionkey: [\"A\"]\n"
        "If-None-Match: \"e\"\n"
        "consistency: Eventual\n");
    EXPECT_EQ(told(CreateItem{orders, R"({"id":"o-1"})", key_a}),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "Prefer: return=minimal\n"
              "Content-Type: application/json\n\n"
              R"({"id":"o-1"})");
    EXPECT_EQ(told(UpsertItem{orders, R"({"id":"o-1"})", key_a}.if_match("\"e\"").returning_item()),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "x-ms-documentdb-is-upsert: True\n"
              "If-Match: \"e\"\n"
              "Content-Type: application/json\n\n"
              R"({"id":"o-1"})");
    EXPECT_EQ(told(ReplaceItem{orders, "o-1", key_a, R"({"id":"o-1","n":2})"}.if_match("\"e\"")),
              "PUT /dbs/shop/colls/orders/docs/o-1\n"
              "docs dbs/shop/colls/orders/docs/o-1\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "If-Match: \"e\"\n"
              "Prefer: return=minimal\n"
              "Content-Type: application/json\n\n"
              R"({"id":"o-1","n":2})");
    EXPECT_EQ(told(DeleteItem{orders, "o-1", key_a}.if_match("\"e\"")),
              "DELETE /dbs/shop/colls/orders/docs/o-1\n"
              "docs dbs/shop/colls/orders/docs/o-1\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "If-Match: \"e\"\n");
    EXPECT_EQ(told(PatchItem{orders, "o-1", key_a, Patch{}.set("/n", 1)}),
              "PATCH /dbs/shop/colls/orders/docs/o-1\n"
              "docs dbs/shop/colls/orders/docs/o-1\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "Prefer: return=minimal\n"
              "Content-Type: application/json-patch+json\n\n"
              R"({"operations":[{"op":"set","path":"/n","value":1}]})");
}

TEST(Requests, encode_names_in_the_path_and_sign_them_as_they_are) {
    const ReadItem request{{"Läden", "a b"}, "Item 1ä%+&", PartitionKey{"Zürich", 1.5, nullptr}};
    EXPECT_EQ(told(request), "GET /dbs/L%C3%A4den/colls/a%20b/docs/Item%201%C3%A4%25%2B%26\n"
                             "docs dbs/Läden/colls/a b/docs/Item 1ä%+&\n"
                             "x-ms-documentdb-partitionkey: [\"Z\\u00fcrich\",1.5,null]\n");
    EXPECT_NE(told(ReadItem{orders, "x", PartitionKey::none()}).find(": [{}]\n"),
              std::string::npos);
}

TEST(Requests, refer_to_what_routing_and_sessions_need) {
    const ReadItem request{orders, "o-1", key_a};
    Envelope envelope;
    ASSERT_TRUE(request.describe(envelope, these_facts));
    ASSERT_NE(envelope.container, nullptr);
    EXPECT_EQ(*envelope.container, orders);
    ASSERT_NE(envelope.key, nullptr);
    EXPECT_EQ(*envelope.key, key_a);
    EXPECT_TRUE(envelope.range.empty());
}

TEST(Requests, give_an_item_without_an_id_the_same_one_in_every_attempt) {
    const std::string with_id = R"({"n":1,"id":"11111111-2222-4333-8444-555555555555"})";
    EXPECT_EQ(body_of(CreateItem{orders, R"({"n":1})", key_a}), with_id);
    EXPECT_EQ(body_of(UpsertItem{orders, R"({"n":1})", key_a}), with_id);
    EXPECT_EQ(body_of(ReplaceItem{orders, "o-1", key_a, R"({"n":1})"}), R"({"n":1,"id":"o-1"})");
}

TEST(Requests, may_give_an_item_another_id) {
    EXPECT_EQ(told(ReplaceItem{orders, "o-1", key_a, R"({"id":"o-2"})"}),
              "PUT /dbs/shop/colls/orders/docs/o-1\n"
              "docs dbs/shop/colls/orders/docs/o-1\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "Prefer: return=minimal\n"
              "Content-Type: application/json\n\n"
              R"({"id":"o-2"})");
}

TEST(Requests, have_ids_with_question_marks_which_the_path_escapes_and_the_signature_does_not) {
    EXPECT_EQ(told(ReadItem{orders, "who?", key_a}), "GET /dbs/shop/colls/orders/docs/who%3F\n"
                                                     "docs dbs/shop/colls/orders/docs/who?\n"
                                                     "x-ms-documentdb-partitionkey: [\"A\"]\n");
    EXPECT_EQ(body_of(CreateOnce{orders, R"({"id":"who?"})", key_a}),
              R"({"id":"who?","perdure_writer":")" + std::string{call_id} + "\"}");
    EXPECT_EQ(refusal(DeleteItem{orders, "who?", key_a}), "sent");
}

TEST(Requests, pass_documents_on_as_they_are) {
    const std::string json =
        " {\"id\" : \"o-1\", \"n\":123456789012345678901234567890.5e10, \"\\u00e9\":[ ] } ";
    EXPECT_EQ(body_of(CreateItem{orders, json, key_a}), json);
}

TEST(Requests, are_refused_before_they_are_sent_when_the_service_would_refuse_them) {
    const std::string good = R"({"id":"o-1"})";
    const std::string large = R"({"id":"o-1","x":")" + std::string(largest_item, 'x') + "\"}";
    struct Row {
        std::string got, want;
    };
    const std::vector<Row> rows{
        {refusal(ReadItem{orders, "a/b", key_a}), "invalid-id"},
        {refusal(ReadItem{orders, "", key_a}), "invalid-id"},
        {refusal(ReadItem{orders, "..", key_a}), "invalid-id"},
        {refusal(ReadItem{{"shop", "."}, "a", key_a}), "invalid-id"},
        {refusal(ReadItem{{"", "c"}, "a", key_a}), "invalid-id"},
        {refusal(ReadItem{orders, "a", {}}), "invalid-partition-key"},
        {refusal(CreateItem{orders, "[]", key_a}), "invalid-item"},
        {refusal(CreateItem{orders, "{", key_a}), "invalid-item"},
        {refusal(CreateItem{orders, R"({"id":"a#b"})", key_a}), "invalid-id"},
        {refusal(CreateItem{orders, large, key_a}), "item-too-large"},
        {refusal(ReplaceItem{orders, "o-1", key_a, R"({"id":"a#b"})"}), "invalid-id"},
        {refusal(ReplaceVersioned{orders, "o-2", key_a, good, "e"}), "invalid-request"},
        {refusal(ReplaceItem{orders, "o-1", key_a, good}.if_match("")), "invalid-request"},
        {refusal(DeleteItem{orders, "a#b", key_a}), "invalid-id"},
        {refusal(ReadItem{{"shop", "a?"}, "a", key_a}), "invalid-id"},
        {refusal(CreateDatabase{"a?"}), "invalid-id"},
        {refusal(CreateOnce{orders, "{}", key_a}), "invalid-request"},
        {refusal(CreateOnce{orders, good, key_a}.marker("")), "invalid-request"},
        {refusal(CreateOnce{orders, good, key_a}.marker("id")), "invalid-request"},
        {refusal(CreateOnce{orders, good, key_a}.token("")), "invalid-request"},
        {refusal(ReplaceVersioned{orders, "o-1", key_a, good, ""}), "invalid-request"},
        {refusal(ReplaceVersioned{orders, "o-1", key_a, good, "*"}), "invalid-request"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}}), "invalid-request"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}.set("n", 1)}), "invalid-request"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}.set("/id", 1)}), "invalid-request"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}.set("/n", Value::raw("1,2"))}),
         "invalid-value"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}.set("/n", "\xff")}), "invalid-value"},
        {refusal(PatchItem{orders, "o-1", key_a, Patch{}.set("/n", 0.0 / 0.0)}), "invalid-value"},
    };
    for (const Row& row : rows) EXPECT_EQ(row.got, row.want) << &row - rows.data();
}

TEST(Requests, do_not_let_a_line_end_into_a_header) {
    for (const std::string_view bad : {"e\r\nx-ms-evil: 1", "e\n", "e\r", "a\x01z"}) {
        const std::string etag{bad};
        EXPECT_EQ(refusal(ReadItem{orders, "a", key_a}.unless(etag)), "invalid-request");
        EXPECT_EQ(refusal(DeleteItem{orders, "a", key_a}.if_match(etag)), "invalid-request");
        EXPECT_EQ(refusal(ReplaceVersioned{orders, "a", key_a, "{}", etag}), "invalid-request");
        EXPECT_EQ(refusal(Query{orders, "q"}.after(etag)), "invalid-request");
        EXPECT_EQ(refusal(Query{orders, "q"}.in_range(etag)), "invalid-request");
        EXPECT_EQ(refusal(ListDatabases{}.after(etag)), "invalid-request");
    }
    const std::string nul("e\0z", 3);
    EXPECT_EQ(refusal(DeleteItem{orders, "a", key_a}.if_match(nul)), "invalid-request");
    EXPECT_EQ(told(ReadItem{orders, "a", PartitionKey{"x\r\ny: z"}}).find("\ny: z"),
              std::string::npos);
}

TEST(Requests, are_as_safe_to_repeat_as_they_say) {
    const std::string json = R"({"id":"o-1"})";
    const Patch counts = Patch{}.increment("/n", 1);
    EXPECT_EQ((ReadItem{orders, "a", key_a}.safety()), Safety::read);
    EXPECT_EQ((CreateItem{orders, json, key_a}.safety()), Safety::once);
    EXPECT_EQ((UpsertItem{orders, json, key_a}.safety()), Safety::once);
    EXPECT_EQ((UpsertItem{orders, json, key_a}.idempotent().safety()), Safety::idempotent);
    EXPECT_EQ((ReplaceItem{orders, "o-1", key_a, json}.safety()), Safety::once);
    EXPECT_EQ((ReplaceItem{orders, "o-1", key_a, json}.idempotent().safety()), Safety::idempotent);
    EXPECT_EQ((ReplaceItem{orders, "o-1", key_a, json}.if_match("e").safety()), Safety::guarded);
    EXPECT_EQ((ReplaceItem{orders, "o-1", key_a, json}.if_match("*").safety()), Safety::once);
    EXPECT_EQ((DeleteItem{orders, "o-1", key_a}.safety()), Safety::once);
    EXPECT_EQ((DeleteItem{orders, "o-1", key_a}.if_match("e").safety()), Safety::guarded);
    EXPECT_EQ((PatchItem{orders, "o-1", key_a, counts}.safety()), Safety::once);
    EXPECT_EQ((PatchItem{orders, "o-1", key_a, counts}.if_match("e").safety()), Safety::guarded);
    EXPECT_EQ((CreateOnce{orders, json, key_a}.safety()), Safety::guarded);
    EXPECT_EQ((ReplaceVersioned{orders, "o-1", key_a, json, "e"}.safety()), Safety::guarded);
    EXPECT_EQ((Query{orders, "q"}.safety()), Safety::read);
}

TEST(Requests, refuse_to_call_a_patch_idempotent_that_is_not) {
    const auto declared = [](Patch patch) {
        return refusal(PatchItem{orders, "o-1", key_a, std::move(patch)}.idempotent());
    };
    EXPECT_EQ(declared(Patch{}.set("/a", 1).replace("/b", 2).remove("/c")), "sent");
    EXPECT_EQ(declared(Patch{}.increment("/n", 1)), "invalid-request");
    EXPECT_EQ(declared(Patch{}.add("/list/-", 1)), "invalid-request");
    EXPECT_EQ(declared(Patch{}.set("/list/-", 1)), "invalid-request");
    EXPECT_EQ(declared(Patch{}.remove("/list/0")), "invalid-request");
    EXPECT_EQ(declared(Patch{}.move("/a", "/b")), "invalid-request");
    const Patch guarded = Patch{}.increment("/v", 1).when("from c where c.v = 3");
    EXPECT_EQ(declared(guarded), "sent");
    EXPECT_EQ((PatchItem{orders, "o-1", key_a, guarded}.idempotent().safety()), Safety::guarded);
}

TEST(Requests, write_patches_with_every_kind_of_change_and_value) {
    const Patch patch = Patch{}
                            .set("/s", "q\"ü\n")
                            .add("/list/-", 1.5)
                            .replace("/b", true)
                            .remove("/gone")
                            .increment("/n", -2)
                            .move("/from", "/to")
                            .set("/raw", Value::raw(R"({"x":[1, 2]})"))
                            .set("/nil", nullptr)
                            .when("from c where c.v = 3");
    EXPECT_EQ(body_of(PatchItem{orders, "o-1", key_a, patch}),
              R"({"condition":"from c where c.v = 3","operations":[)"
              R"({"op":"set","path":"/s","value":"q\"ü\u000a"},)"
              R"({"op":"add","path":"/list/-","value":1.5},)"
              R"({"op":"replace","path":"/b","value":true},)"
              R"({"op":"remove","path":"/gone"},)"
              R"({"op":"incr","path":"/n","value":-2},)"
              R"({"op":"move","path":"/to","from":"/from"},)"
              R"({"op":"set","path":"/raw","value":{"x":[1, 2]}},)"
              R"({"op":"set","path":"/nil","value":null}]})");
    Patch many;
    for (int i = 0; i < 11; ++i) many.set("/n", i);
    EXPECT_EQ(refusal(PatchItem{orders, "o-1", key_a, many}), "invalid-request");
}

TEST(Requests, read_an_item_with_its_version) {
    const ReadItem request{orders, "o-1", key_a};
    const auto item =
        answered(request, {.body = R"({"id":"o-1"})", .headers = {{"etag", "\"e\""}}});
    ASSERT_TRUE(item);
    EXPECT_EQ(item->json, R"({"id":"o-1"})");
    EXPECT_EQ(item->etag, "\"e\"");
    EXPECT_EQ(item->charge, 1.5);

    const auto inside = answered(request, {.body = R"({"id":"o-1","_etag":"\"e2\""})"});
    ASSERT_TRUE(inside);
    EXPECT_EQ(inside->etag, "\"e2\"");

    const auto same = answered(request, {.status = 304, .headers = {{"etag", "\"e\""}}});
    ASSERT_TRUE(same);
    EXPECT_TRUE(same->json.empty());
    for (const std::string_view bad : {"", "<html>", "[1]", "{\"id\":1"})
        EXPECT_TRUE(cannot_read(request, {.body = std::string{bad}})) << bad;
}

TEST(Requests, find_nothing_as_an_answer) {
    const FindItem request{orders, "o-1", key_a};
    EXPECT_TRUE(request.takes({404}));
    EXPECT_FALSE(request.takes({404, 1002}));
    EXPECT_FALSE(request.takes({404, 1003}));
    const auto none = answered(request, {.status = 404, .body = R"({"code":"NotFound"})"});
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none);
    const auto some = answered(request, {.body = R"({"id":"o-1"})"});
    ASSERT_TRUE(some);
    EXPECT_EQ((*some)->json, R"({"id":"o-1"})");
}

TEST(Requests, read_what_a_write_gave) {
    const CreateItem request{orders, "{}", key_a};
    const auto made = answered(request, {.status = 201, .headers = {{"etag", "\"e\""}}});
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->created);
    EXPECT_EQ(made->etag, "\"e\"");
    EXPECT_TRUE(made->json.empty());

    // A server that sends the item all the same.
    const auto chatty = answered(request, {.status = 201, .body = R"({"id":"a","_etag":"x"})"});
    ASSERT_TRUE(chatty);
    EXPECT_EQ(chatty->etag, "x");
    EXPECT_TRUE(chatty->json.empty());

    const UpsertItem upsert = UpsertItem{orders, "{}", key_a}.returning_item();
    const auto put = answered(upsert, {.body = R"({"id":"a"})", .headers = {{"etag", "e"}}});
    ASSERT_TRUE(put);
    EXPECT_FALSE(put->created);
    EXPECT_EQ(put->json, R"({"id":"a"})");
    EXPECT_TRUE(cannot_read(upsert, {.headers = {{"etag", "e"}}}));
    // A page for logging in is no written item.
    EXPECT_TRUE(cannot_read(request, {.body = "<html>welcome</html>"}));
    EXPECT_TRUE(cannot_read(DeleteItem{orders, "a", key_a}, {.body = "<html>welcome</html>"}));
}

TEST(Requests, take_a_missing_item_for_deleted_only_if_told_so) {
    const DeleteItem plain{orders, "a", key_a};
    EXPECT_FALSE(plain.takes({404}));
    const DeleteItem declared = DeleteItem{orders, "a", key_a}.idempotent();
    EXPECT_TRUE(declared.takes({404}));
    EXPECT_FALSE(declared.takes({404, 1002}));
    const auto gone = answered(declared, {.status = 404});
    ASSERT_TRUE(gone);
    EXPECT_FALSE(gone->was_there);
    const auto done = answered(declared, {.status = 204});
    ASSERT_TRUE(done);
    EXPECT_TRUE(done->was_there);
}

}  // namespace
}  // namespace perdure::cosmos
