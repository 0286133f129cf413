// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_get.hpp"

#include <gtest/gtest.h>

#include "dynamodb/batch_get_request.hpp"
#include "dynamodb/batch_tables.hpp"

namespace perdure::dynamodb {
namespace {

using Found = std::optional<Item>;

class BatchReads : public ::testing::TestWithParam<http::Way> {
protected:
    BatchReport<Found> read(const BatchGet& wanted, const CallOptions& options = {},
                            const ParallelOptions& parallel = {.most = 1}) {
        if (!client_) client_.emplace(tables_.options(plan_));
        if (GetParam() == http::Way::blocking)
            return batch_get(*client_, wanted, options, parallel);
        return block_on(net::default_reactor(),
                        start_batch_get(*client_, wanted, options, parallel));
    }
    void store_orders(int count) {
        for (int i = 0; i < count; ++i) tables_.store("orders", {{"pk", id_of(i)}, {"total", i}});
    }
    static BatchGet orders(int count) {
        BatchGet wanted{"orders"};
        for (int i = 0; i < count; ++i) wanted.key({{"pk", id_of(i)}});
        return wanted;
    }
    static int total(const BatchReport<Found>& report, std::size_t index) {
        return report.values.at(index).value().value().get<int>("total").value();
    }

    Plan plan_ = quick_batch();
    Tables tables_;
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Both, BatchReads,
                         ::testing::Values(http::Way::blocking, http::Way::coroutine),
                         http::name_of);

TEST_P(BatchReads, are_cut_into_requests_of_100_and_come_back_in_order) {
    store_orders(250);
    const auto report = read(orders(250));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{100, 100, 50}));
    EXPECT_EQ(tables_.asked()[0].operation, "DynamoDB_20120810.BatchGetItem");
    ASSERT_EQ(report.values.size(), 250u);
    for (int i = 0; i < 250; ++i) EXPECT_EQ(total(report, static_cast<std::size_t>(i)), i);
}

TEST_P(BatchReads, side_by_side_come_back_in_order_too) {
    store_orders(2'000);
    const auto report = read(orders(2'000), {}, {.most = 8});
    EXPECT_TRUE(report.complete());
    for (int i = 0; i < 2'000; ++i) EXPECT_EQ(total(report, static_cast<std::size_t>(i)), i);
}

TEST_P(BatchReads, are_done_with_nothing_where_there_is_no_item) {
    store_orders(2);
    const auto report = read(orders(4));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 4u);
    EXPECT_EQ(total(report, 1), 1);
    ASSERT_TRUE(report.values[2]);
    EXPECT_FALSE(*report.values[2]);
}

TEST_P(BatchReads, ask_once_for_a_key_that_is_wanted_twice_and_answer_in_every_place) {
    tables_.store("orders", {{"pk", 1}, {"total", 7}});
    BatchGet wanted{"orders"};
    wanted.key({{"pk", 1}});
    wanted.key({{"pk", 2}});
    wanted.key({{"pk", Number::as_written("1.00")}});
    wanted.key({{"pk", 1}});
    const auto report = read(wanted);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 4u);
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{2}));
    for (const std::size_t at : {0u, 2u, 3u}) EXPECT_EQ(total(report, at), 7);
    EXPECT_FALSE(*report.values[1]);
}

TEST_P(BatchReads, ask_several_tables_at_once) {
    tables_.store("orders", {{"pk", "a"}, {"total", 1}});
    tables_.store("lines", {{"pk", "a"}, {"sk", 1}, {"total", 2}});
    const auto report = read(BatchGet{"orders"}
                                 .key({{"pk", "a"}})
                                 .add_table("lines")
                                 .consistent()
                                 .key({{"sk", 1}, {"pk", "a"}})
                                 .key({{"pk", "a"}, {"sk", 2}}));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(total(report, 0), 1);
    EXPECT_EQ(total(report, 1), 2);
    EXPECT_FALSE(*report.values[2]);
    ASSERT_EQ(tables_.asked().size(), 1u);
    EXPECT_EQ(tables_.asked()[0].body.find("ConsistentRead"),
              tables_.asked()[0].body.rfind("ConsistentRead"));
}

TEST_P(BatchReads, ask_again_for_what_the_service_did_not_get_to) {
    store_orders(150);
    tables_.on_request = [](const Asked& asked) {
        return asked.number < 3 ? Fate{.leave = {0, 7, 49}} : Fate{};
    };
    const auto report = read(orders(150));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{100, 53, 3}));
    for (int i = 0; i < 150; ++i) EXPECT_EQ(total(report, static_cast<std::size_t>(i)), i);
}

TEST_P(BatchReads, leave_what_is_throttled_for_ever_and_keep_the_rest) {
    store_orders(3);
    tables_.on_request = [](const Asked& asked) {
        return Fate{.leave =
                        asked.number == 1 ? std::set<std::size_t>{1} : std::set<std::size_t>{0}};
    };
    const auto report = read(orders(3));
    EXPECT_EQ(report.done, 2u);
    ASSERT_EQ(report.leftovers.size(), 1u);
    EXPECT_EQ(report.leftovers[0].index, 1u);
    EXPECT_EQ(report.leftovers[0].failure.cause, Cause::throttled);
    EXPECT_EQ(report.leftovers[0].failure.code, "UnprocessedKeys");
    EXPECT_EQ(report.leftovers[0].failure.effect, Effect::none);
    EXPECT_FALSE(report.values[1]);
    EXPECT_EQ(total(report, 2), 2);
}

TEST_P(BatchReads, do_not_wait_for_leftovers_as_if_all_were_throttled) {
    plan_.rules[0].rule.backoff = {.base = 1h, .cap = 1h, .jitter = Jitter::none};
    store_orders(4);
    tables_.on_request = [](const Asked& asked) {
        return asked.number == 1 ? Fate{.leave = {2, 3}} : Fate{};
    };
    const auto report = read(orders(4));
    EXPECT_TRUE(report.complete()) << to_string(report.leftovers[0].failure);
    EXPECT_EQ(total(report, 3), 3);
}

TEST_P(BatchReads, refuse_keys_that_cannot_be_sent_and_ask_for_the_others) {
    store_orders(6);
    BatchGet wanted{"orders"};
    wanted.key({});
    wanted.key({{"pk", id_of(1)}});
    wanted.key({{"pk", ""}});
    wanted.key({{"pk", id_of(3)}, {"sk", 1}});
    wanted.key({{"id", id_of(4)}});
    wanted.key({{"pk", id_of(5)}});
    const auto report = read(wanted);
    EXPECT_EQ(report.done, 2u);
    EXPECT_EQ(total(report, 1), 1);
    EXPECT_EQ(total(report, 5), 5);
    ASSERT_EQ(report.leftovers.size(), 4u);
    for (const auto& [index, failure] : report.leftovers) {
        EXPECT_EQ(failure.cause, Cause::invalid);
        EXPECT_EQ(failure.stop, Stop::permanent);
    }
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{2}));
}

TEST_P(BatchReads, lose_none_to_a_neighbour_that_the_service_refuses) {
    store_orders(120);
    tables_.on_request = [](const Asked& asked) {
        for (const Asked::Entry& entry : asked.entries)
            if (entry.item == Item{{"pk", "o#30"}})
                return Fate{.instead = error(400, "ValidationException")};
        return Fate{};
    };
    const auto report = read(orders(120));
    EXPECT_EQ(report.done, 119u);
    EXPECT_EQ(report.leftovers.at(0).index, 30u);
    EXPECT_EQ(total(report, 29), 29);
    EXPECT_EQ(total(report, 119), 119);
}

TEST_P(BatchReads, do_not_believe_an_answer_with_what_was_never_asked_for) {
    const char* const strange[] = {
        R"({"Responses":{"orders":[{"pk":{"S":"other"}}]},"UnprocessedKeys":{}})",
        R"({"Responses":{"others":[{"pk":{"S":"o#0"}}]}})",
        R"({"Responses":{"orders":[{"total":{"N":"1"}}]}})",
        R"({"Responses":{},"UnprocessedKeys":{"orders":{"Keys":[{"pk":{"S":"other"}}]}}})",
        R"({"Responses":{"orders":[{"pk":{"S":"o#0"})",
    };
    for (const char* const body : strange) {
        SCOPED_TRACE(body);
        tables_.on_request = [&](const Asked&) { return Fate{.afterwards = http::ok(body)}; };
        const auto report = read(orders(2));
        ASSERT_EQ(report.leftovers.size(), 2u);
        EXPECT_EQ(report.leftovers[0].failure.cause, Cause::corrupt);
        EXPECT_FALSE(report.values[0]);
    }
}

TEST_P(BatchReads, survive_failures_of_whole_requests) {
    store_orders(3);
    tables_.on_request = [](const Asked& asked) {
        if (asked.number == 1) return Fate{.instead = error(500, "InternalServerError")};
        if (asked.number == 2) return Fate{.instead = reset()};
        return Fate{};
    };
    EXPECT_TRUE(read(orders(3)).complete());
}

TEST(ReadForm, always_reads_the_key_and_names_no_attribute_twice) {
    const struct {
        const char* asked;
        const char* sent;
        KeyNames added;
    } cases[] = {
        {"", "", {}},
        {"total", "total, #perdure0, #perdure1", {"pk", "sk"}},
        {"pk,total", "pk,total, #perdure0", {"sk"}},
        {" total , #key , sk ", " total , #key , sk ", {}},
        {"pk2, a.pk", "pk2, a.pk, #perdure0, #perdure1", {"pk", "sk"}},
    };
    for (const auto& [asked, sent, added] : cases) {
        SCOPED_TRACE(asked);
        BatchGet::Table table{.name = "orders", .projection = asked, .names = {{"#key", "pk"}}};
        const ReadForm form = read_form(table, {"pk", "sk"});
        EXPECT_EQ(form.projection, sent);
        EXPECT_EQ(form.added, added);
        EXPECT_EQ(form.placeholders.names.size(), 1 + added.size());
    }
}

TEST(ReadForm, takes_out_again_what_was_read_for_us_alone) {
    auto wanted = std::make_shared<const BatchGet>(BatchGet{"lines"}
                                                       .projection("sk, #n")
                                                       .name("#n", "note")
                                                       .key({{"pk", "a"}, {"sk", 1}})
                                                       .key({{"pk", "a"}, {"sk", 2}}));
    const auto batch = std::make_shared<const ReadBatch>(wanted, "dynamodb");
    const BatchGetRequest request{batch, Chunk{{0, 1}}};
    std::string body;
    ASSERT_TRUE(request.append_body(body, {}));
    EXPECT_EQ(body, R"({"RequestItems":{"lines":{"Keys":[{"pk":{"S":"a"},"sk":{"N":"1"}},)"
                    R"({"pk":{"S":"a"},"sk":{"N":"2"}}],)"
                    R"("ProjectionExpression":"sk, #n, #perdure0",)"
                    R"("ExpressionAttributeNames":{"#n":"note","#perdure0":"pk"}}}})");
    std::string json = R"({"Responses":{"lines":[{"pk":{"S":"a"},"sk":{"N":"2"}}]}})";
    const auto answer = request.read(json);
    ASSERT_TRUE(answer) << to_string(answer.error());
    EXPECT_FALSE(answer->items[0]);
    EXPECT_EQ(answer->items[1], (Item{{"sk", 2}}));
}

}  // namespace
}  // namespace perdure::dynamodb
