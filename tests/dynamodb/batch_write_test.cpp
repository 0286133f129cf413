// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_write.hpp"

#include <gtest/gtest.h>

#include "dynamodb/batch_tables.hpp"

namespace perdure::dynamodb {
namespace {

class BatchWrites : public ::testing::TestWithParam<http::Way> {
protected:
    // One request after the other, so that tests can count them.
    BatchReport<> write(const BatchWrite& writes, const CallOptions& options = {},
                        const ParallelOptions& parallel = {.most = 1}) {
        if (!client_) client_.emplace(tables_.options(plan_));
        if (GetParam() == http::Way::blocking)
            return batch_write(*client_, writes, options, parallel);
        return block_on(net::default_reactor(),
                        start_batch_write(*client_, writes, options, parallel));
    }
    static BatchWrite orders(int count) {
        BatchWrite writes{"orders", {"pk"}};
        for (int i = 0; i < count; ++i) writes.put({{"pk", id_of(i)}, {"total", i}});
        return writes;
    }

    Plan plan_ = quick_batch();
    Tables tables_;
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Both, BatchWrites,
                         ::testing::Values(http::Way::blocking, http::Way::coroutine),
                         http::name_of);

TEST_P(BatchWrites, are_cut_into_requests_of_25) {
    const auto report = write(orders(60));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.items, 60u);
    EXPECT_EQ(report.done, 60u);
    EXPECT_EQ(report.sends, 3u);
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{25, 25, 10}));
    EXPECT_EQ(tables_.asked()[0].operation, "DynamoDB_20120810.BatchWriteItem");
    EXPECT_EQ(tables_.rows(), 60u);
}

TEST_P(BatchWrites, go_out_side_by_side) {
    const auto report = write(orders(1'000), {}, {.most = 8});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.sends, 40u);
    EXPECT_EQ(tables_.rows(), 1'000u);
}

TEST_P(BatchWrites, of_nothing_send_nothing) {
    EXPECT_TRUE(write(BatchWrite{"orders", {"pk"}}).complete());
    EXPECT_TRUE(tables_.asked().empty());
}

TEST_P(BatchWrites, are_cut_by_the_bytes_of_their_json_too) {
    plan_ = quick_batch(60s);  // under a sanitizer it takes seconds
    // 380 KB each, and six times as much once JSON has escaped it: 7 of them fit into 16 MB.
    BatchWrite writes{"orders", {"pk"}};
    for (int i = 0; i < 15; ++i)
        writes.put({{"pk", id_of(i)}, {"text", std::string(std::size_t{380} * 1024, '\x01')}});
    const auto report = write(writes);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{7, 7, 1}));
}

TEST_P(BatchWrites, put_and_remove_in_several_tables_at_once) {
    tables_.store("users", {{"pk", 7}, {"sk", "x"}});
    const auto report = write(BatchWrite{"orders", {"pk"}}
                                  .put({{"pk", "o#1"}, {"total", 12}})
                                  .add_table("users", {"pk", "sk"})
                                  .remove({{"sk", "x"}, {"pk", 7}})
                                  .put({{"pk", 8}, {"sk", "y"}, {"name", "Ada"}})
                                  .add_table("orders", {"pk"})
                                  .put({{"pk", "o#2"}}));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.done, 4u);
    ASSERT_EQ(tables_.asked().size(), 1u);
    EXPECT_EQ(tables_.rows(), 3u);
    EXPECT_EQ(tables_.find("orders", {{"pk", "o#1"}})->get<int>("total").value(), 12);
    EXPECT_FALSE(tables_.find("users", {{"pk", 7}, {"sk", "x"}}));
    EXPECT_TRUE(tables_.find("users", {{"pk", 8}, {"sk", "y"}}));
}

TEST_P(BatchWrites, send_the_last_of_several_entries_for_one_key) {
    BatchWrite writes{"orders", {"pk"}};
    writes.put({{"pk", Number::as_written("1.0")}, {"total", 1}});
    writes.put({{"pk", 2}, {"total", 2}});
    writes.remove({{"pk", 2}});
    writes.put({{"pk", Number::as_written("1")}, {"total", 3}});
    const auto report = write(writes);
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.items, 4u);
    EXPECT_EQ(report.done, 4u);
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{2}));
    EXPECT_EQ(tables_.find("orders", {{"pk", 1}})->get<int>("total").value(), 3);
    EXPECT_FALSE(tables_.find("orders", {{"pk", 2}}));
}

TEST_P(BatchWrites, leave_what_cannot_be_sent_with_its_reason_and_send_the_others) {
    BatchWrite writes{"orders", {"pk"}};
    writes.put({{"pk", "o#0"}, {"total", 1}});
    writes.put({{"total", 1}});
    writes.put({{"pk", "o#2"}, {"text", std::string(std::size_t{500} * 1024, 'x')}});
    writes.put({{"pk", "o#0"}, {"rate", Number::as_written("1e999")}});
    writes.remove({{"pk", "o#4"}, {"total", 3}});
    writes.put({{"pk", "o#5"}});
    const auto report = write(writes);
    EXPECT_EQ(report.done, 2u);
    ASSERT_EQ(report.leftovers.size(), 4u);
    const std::pair<std::size_t, Cause> expected[] = {
        {1, Cause::invalid}, {2, Cause::too_large}, {3, Cause::invalid}, {4, Cause::invalid}};
    for (std::size_t at = 0; at < 4; ++at) {
        SCOPED_TRACE(at);
        const auto& [index, failure] = report.leftovers[at];
        EXPECT_EQ(index, expected[at].first);
        EXPECT_EQ(failure.cause, expected[at].second);
        EXPECT_EQ(failure.stop, Stop::permanent);
        EXPECT_EQ(failure.effect, Effect::none);
        EXPECT_EQ(failure.attempts, 0);
    }
    EXPECT_EQ(tables_.find("orders", {{"pk", "o#0"}})->get<int>("total").value(), 1);
    EXPECT_EQ(tables_.rows(), 2u);
}

TEST_P(BatchWrites, send_leftovers_again_together_with_what_waits) {
    // The first five of each request are left, as long as it is a full one.
    tables_.on_request = [](const Asked& asked) {
        return asked.entries.size() == 25 ? Fate{.leave = {0, 1, 2, 3, 4}} : Fate{};
    };
    const auto report = write(orders(60));
    EXPECT_TRUE(report.complete()) << to_string(report.leftovers[0].failure);
    EXPECT_EQ(tables_.rows(), 60u);
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{25, 25, 20}));
    EXPECT_EQ(report.rounds, 3);
}

TEST_P(BatchWrites, recognise_leftovers_whose_number_is_written_otherwise) {
    tables_.on_request = [](const Asked& asked) {
        if (asked.number > 1) return Fate{};
        return Fate{.afterwards = http::ok(R"({"UnprocessedItems":{"orders":[)"
                                           R"({"PutRequest":{"Item":{"total":{"N":"1"},)"
                                           R"("pk":{"N":"100"}}}},)"
                                           R"({"DeleteRequest":{"Key":{"pk":{"N":"2.50"}}}}]}})")};
    };
    const auto report = write(BatchWrite{"orders", {"pk"}}
                                  .put({{"pk", Number::as_written("1E2")}, {"total", 1}})
                                  .put({{"pk", 3}})
                                  .remove({{"pk", Number::as_written("2.5")}}));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{3, 2}));
}

TEST_P(BatchWrites, that_are_throttled_for_ever_end_by_their_deadline_with_the_reason) {
    plan_ = quick_batch(4s);
    plan_.rules[0].rule.attempts = 0;  // no limit but the deadline
    // The third pause would be of 5 s or more: it ends between two rounds, never within one.
    plan_.rules[0].rule.backoff = {.base = 1ms, .factor = 100, .cap = 1h, .jitter = Jitter::equal};
    tables_.on_request = [](const Asked& asked) {
        Fate fate;
        for (std::size_t at = 1; at < asked.entries.size(); ++at) fate.leave.insert(at);
        if (asked.number > 1) fate.leave.insert(0);
        return fate;
    };
    const auto report = write(orders(10));
    EXPECT_EQ(report.done, 1u);
    ASSERT_EQ(report.leftovers.size(), 9u);
    EXPECT_EQ(report.rounds, 3);
    for (const auto& [index, failure] : report.leftovers) {
        EXPECT_EQ(failure.cause, Cause::throttled);
        EXPECT_EQ(failure.code, "UnprocessedItems");
        EXPECT_EQ(failure.stop, Stop::deadline);
        EXPECT_EQ(failure.effect, Effect::none);
        EXPECT_EQ(failure.attempts, report.rounds);
    }
    EXPECT_LT(report.elapsed, 5s);
}

TEST_P(BatchWrites, wait_for_leftovers_by_the_plans_own_rule_if_it_has_one) {
    plan_.rules.push_back({"leftovers", {.attempts = 2, .backoff = {.base = 1ms, .cap = 1ms}}});
    tables_.on_request = [](const Asked&) { return Fate{.leave = {0}}; };
    EXPECT_EQ(write(orders(1)).sends, 2u);
}

TEST_P(BatchWrites, do_not_wait_for_leftovers_as_if_all_were_throttled) {
    plan_.rules[0].rule.backoff = {.base = 1h, .cap = 1h, .jitter = Jitter::none};
    tables_.on_request = [](const Asked& asked) {
        return asked.number == 1 ? Fate{.leave = {0, 1}} : Fate{};
    };
    EXPECT_TRUE(write(orders(5)).complete());
}

TEST_P(BatchWrites, stop_after_so_many_sends_without_progress_and_begin_anew_after_some) {
    tables_.on_request = [](const Asked& asked) {
        // One is taken in the third request; before and after nothing moves.
        Fate fate;
        for (std::size_t at = asked.number == 3 ? 1 : 0; at < asked.entries.size(); ++at)
            fate.leave.insert(at);
        return fate;
    };
    const auto report = write(orders(3));
    EXPECT_EQ(report.done, 1u);
    ASSERT_EQ(report.leftovers.size(), 2u);
    EXPECT_EQ(report.leftovers[0].failure.stop, Stop::attempts);
    // The series of four begins with the answer that brought progress.
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{3, 3, 3, 2, 2, 2}));
}

TEST_P(BatchWrites, pay_for_rounds_without_progress_from_the_clients_budget) {
    plan_.budget = {.kind = BudgetKind::fixed, .deposit = 0, .capacity = 3};
    plan_.rules[0].rule.attempts = 100;
    plan_.rules[0].rule.cost = 1;
    tables_.on_request = [](const Asked&) { return Fate{.leave = {0}}; };
    const auto report = write(orders(1));
    ASSERT_EQ(report.leftovers.size(), 1u);
    EXPECT_EQ(report.leftovers[0].failure.stop, Stop::budget);
    EXPECT_EQ(report.sends, 4u);
    EXPECT_EQ(client_->caller().budget().milli_left(), 0);
}

TEST_P(BatchWrites, are_repeated_after_an_unknown_outcome) {
    tables_.on_request = [](const Asked& asked) {
        if (asked.number == 1) return Fate{.afterwards = error(500, "InternalServerError")};
        if (asked.number == 2) return Fate{.instead = reset()};
        if (asked.number == 3)
            return Fate{.instead = error(400, "ProvisionedThroughputExceededException")};
        return Fate{};
    };
    const auto report = write(orders(5));
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.sends, 4u);
    EXPECT_EQ(tables_.rows(), 5u);
}

TEST_P(BatchWrites, say_unknown_where_a_lost_answer_was_never_made_up_for) {
    tables_.on_request = [](const Asked& asked) {
        if (asked.number == 1) return Fate{.afterwards = error(500, "InternalServerError")};
        return Fate{.instead = error(400, "ThrottlingException")};
    };
    const auto report = write(orders(2));
    ASSERT_EQ(report.leftovers.size(), 2u);
    EXPECT_EQ(report.leftovers[0].failure.cause, Cause::throttled);
    EXPECT_EQ(report.leftovers[0].failure.effect, Effect::unknown);
    EXPECT_EQ(report.leftovers[0].failure.first_cause, Cause::internal);
}

TEST_P(BatchWrites, do_not_believe_an_answer_that_leaves_what_was_never_sent) {
    const char* const strange[] = {
        R"({"UnprocessedItems":{"orders":[{"PutRequest":{"Item":{"pk":{"S":"other"}}}}]}})",
        R"({"UnprocessedItems":{"others":[{"PutRequest":{"Item":{"pk":{"S":"o#0"}}}}]}})",
        R"({"UnprocessedItems":{"orders":[{"PutRequest":{"Item":{"total":{"N":"1"}}}}]}})",
        R"({"UnprocessedItems":{"orders":[{"PutRequest":{"Item":{"pk":{"N":"0"}}}}]}})",
        R"({"UnprocessedItems":[)",
        R"(<html>)",
    };
    for (const char* const body : strange) {
        SCOPED_TRACE(body);
        tables_.on_request = [&](const Asked&) { return Fate{.afterwards = http::ok(body)}; };
        const auto report = write(orders(2));
        ASSERT_EQ(report.leftovers.size(), 2u);
        for (const auto& [index, failure] : report.leftovers) {
            EXPECT_EQ(failure.cause, Cause::corrupt);
            EXPECT_EQ(failure.stop, Stop::attempts);
            EXPECT_NE(failure.effect, Effect::none);
        }
    }
}

TEST_P(BatchWrites, lose_none_to_a_neighbour_that_the_service_refuses) {
    tables_.on_request = [](const Asked& asked) {
        for (const Asked::Entry& entry : asked.entries)
            if (entry.item == Item{{"pk", "o#30"}, {"total", 30}})
                return Fate{.instead = error(400, "ValidationException")};
        return Fate{};
    };
    const auto report = write(orders(60));
    EXPECT_EQ(report.done, 59u);
    ASSERT_EQ(report.leftovers.size(), 1u);
    EXPECT_EQ(report.leftovers[0].index, 30u);
    EXPECT_EQ(report.leftovers[0].failure.code, "ValidationException");
    EXPECT_EQ(report.leftovers[0].failure.attempts, 2);
    EXPECT_EQ(tables_.rows(), 59u);
}

TEST_P(BatchWrites, to_a_table_that_is_not_there_take_nothing_from_those_to_another) {
    tables_.on_request = [](const Asked& asked) {
        for (const Asked::Entry& entry : asked.entries)
            if (entry.table == "nowhere")
                return Fate{.instead = error(400, "ResourceNotFoundException")};
        return Fate{};
    };
    BatchWrite writes = orders(50);
    writes.add_table("nowhere", {"pk"}).put({{"pk", "a"}}).put({{"pk", "b"}});
    const auto report = write(writes);
    EXPECT_EQ(report.done, 50u);
    ASSERT_EQ(report.leftovers.size(), 2u);
    EXPECT_EQ(report.leftovers[1].failure.cause, Cause::not_found);

    BatchWrite alone{"nowhere", {"pk"}};
    for (int i = 0; i < 50; ++i) alone.put({{"pk", i}});
    EXPECT_EQ(write(alone).sends, 2u);
}

TEST_P(BatchWrites, that_are_all_wrong_cost_no_more_than_a_sample) {
    tables_.on_request = [](const Asked&) {
        return Fate{.instead = error(400, "ValidationException")};
    };
    const auto report = write(orders(100));
    EXPECT_EQ(report.leftovers.size(), 100u);
    EXPECT_EQ(report.leftovers[99].failure.cause, Cause::invalid);
    EXPECT_EQ(report.sends, 4u + 25u);
}

TEST_P(BatchWrites, end_when_they_are_stopped) {
    std::stop_source stop;
    tables_.on_request = [&](const Asked& asked) {
        if (asked.number == 2) stop.request_stop();
        return asked.number == 2 ? Fate{.leave = {0}} : Fate{};
    };
    CallOptions options;
    options.stop = stop.get_token();
    const auto report = write(orders(100), options);
    EXPECT_LE(tables_.asked().size(), 2u);
    EXPECT_GE(report.done, 25u);
    EXPECT_EQ(report.done + report.leftovers.size(), 100u);
    EXPECT_EQ(report.leftovers.back().failure.stop, Stop::cancelled);
    EXPECT_EQ(report.leftovers.back().failure.effect, Effect::none);
}

TEST_P(BatchWrites, inside_an_attempt_of_another_call_send_each_request_once) {
    tables_.on_request = [](const Asked&) {
        return Fate{.instead = error(500, "InternalServerError")};
    };
    Caller outer{Plan{.name = "outer", .rule = {.attempts = 1}}};
    (void)outer.run({.name = "outer"}, [&](const Attempt& attempt) -> Result<int> {
        CallOptions options;
        options.within = &attempt;
        const auto report = write(orders(30), options);
        EXPECT_EQ(report.leftovers.size(), 30u);
        return 1;
    });
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{25, 5}));
}

TEST_P(BatchWrites, by_a_client_that_can_make_no_call_leave_all_with_the_reason) {
    ClientOptions options = tables_.options();
    options.endpoint = "nonsense://";
    client_.emplace(options);
    ASSERT_NE(client_->problem(), nullptr);
    const auto report = write(orders(3));
    ASSERT_EQ(report.leftovers.size(), 3u);
    EXPECT_EQ(report.leftovers[2].failure.code, client_->problem()->code);
    EXPECT_EQ(report.leftovers[2].failure.stop, Stop::permanent);
}

TEST_P(BatchWrites, enter_a_limiter_once_for_each_request) {
    plan_.limiter = {.kind = LimiterKind::concurrency, .concurrent = 1};
    const auto report = write(orders(100));
    EXPECT_TRUE(report.complete()) << to_string(report.leftovers[0].failure);
    EXPECT_EQ(report.sends, 4u);
}

TEST_P(BatchWrites, take_one_place_of_a_half_open_breaker_for_each_request) {
    plan_.breaker =
        BreakerOptions{.least_calls = 1, .open_for = 10ms, .probes = 1, .ramp = Duration::zero()};
    plan_.rule.backoff = {.base = 30ms, .cap = 30ms, .jitter = Jitter::none};
    tables_.on_request = [](const Asked& asked) {
        return asked.number == 1 ? Fate{.instead = error(500, "InternalServerError")} : Fate{};
    };
    const auto report = write(orders(30));
    EXPECT_TRUE(report.complete()) << to_string(report.leftovers[0].failure);
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{25, 25, 5}));
}

}  // namespace
}  // namespace perdure::dynamodb
