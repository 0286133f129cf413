// SPDX-License-Identifier: Apache-2.0
//
// Does a batch end with all of its entries done while three requests of ten fail, and stay small where
// all of them do? On the default plan, budget included, unless a test says why not.
#include <gtest/gtest.h>

#include "dynamodb/batch_tables.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/batch_write.hpp"

namespace perdure::dynamodb {
namespace {

class BatchOutages : public ::testing::TestWithParam<http::Way> {
protected:
    BatchReport<> write(int count, const ParallelOptions& parallel = {}) {
        BatchWrite writes{"orders", {"pk"}};
        for (int i = 0; i < count; ++i) writes.put({{"pk", id_of(i)}, {"total", i}});
        if (GetParam() == http::Way::blocking) return batch_write(client(), writes, {}, parallel);
        return block_on(net::default_reactor(), start_batch_write(client(), writes, {}, parallel));
    }
    BatchReport<std::optional<Item>> read(int count) {
        BatchGet wanted{"orders"};
        for (int i = 0; i < count; ++i) wanted.key({{"pk", id_of(i)}});
        if (GetParam() == http::Way::blocking) return batch_get(client(), wanted);
        return block_on(net::default_reactor(), start_batch_get(client(), wanted));
    }
    Client& client() {
        if (!client_) client_.emplace(tables_.options(plan_));
        return *client_;
    }

    Plan plan_ = plan_for(Retries::perdure);
    Tables tables_;

private:
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Both, BatchOutages,
                         ::testing::Values(http::Way::blocking, http::Way::coroutine),
                         http::name_of);

// Of ten requests in a row one is done and answered with a 500, one is done and reset, one is throttled.
Fate three_of_ten_fail(const Asked& asked) {
    switch (asked.number % 10) {
        case 3: return {.afterwards = error(500, "InternalServerError")};
        case 4: return {.afterwards = reset()};
        case 5: return {.instead = error(400, "ProvisionedThroughputExceededException")};
        default: return {};
    }
}

Fate all_fail(const Asked&) { return {.instead = error(500, "InternalServerError")}; }

TEST_P(BatchOutages, leave_no_write_undone) {
    tables_.on_request = three_of_ten_fail;
    for (int batch = 0; batch < 8; ++batch) {
        const auto report = write(600);
        EXPECT_TRUE(report.complete())
            << report.leftovers.size() << " left, " << to_string(report.leftovers[0].failure);
    }
    EXPECT_EQ(tables_.rows(), 600u);
    EXPECT_GT(tables_.asked().size(), 8 * 24u);
}

TEST_P(BatchOutages, leave_no_read_unanswered) {
    for (int i = 0; i < 2'000; ++i) tables_.store("orders", {{"pk", id_of(i)}, {"total", i}});
    tables_.on_request = three_of_ten_fail;
    const auto report = read(2'000);
    EXPECT_TRUE(report.complete()) << to_string(report.leftovers[0].failure);
    for (std::size_t i = 0; i < report.values.size(); i += 100)
        EXPECT_EQ(report.values[i].value().value().get<int>("total").value(), static_cast<int>(i));
}

// One after the other, so that three attempts of one request fail in a row.
TEST_P(BatchOutages, leave_nothing_undone_of_batches_of_one_request) {
    // With full waits it would take a minute; the attempts and the budget are those of the default.
    for (NamedRule& named : plan_.rules) named.rule.backoff.base = 1ms;
    plan_.rule.backoff.base = 1ms;
    tables_.on_request = three_of_ten_fail;
    for (int batch = 0; batch < 300; ++batch) {
        const auto report = write(25);
        ASSERT_TRUE(report.complete())
            << "batch " << batch << ": " << to_string(report.leftovers[0].failure);
    }
}

TEST_P(BatchOutages, of_all_requests_cost_no_more_than_the_start_of_the_budget) {
    tables_.on_request = all_fail;
    const auto report = write(1'000);
    EXPECT_EQ(report.leftovers.size(), 1'000u);
    for (const auto& [index, failure] : report.leftovers) EXPECT_EQ(failure.stop, Stop::budget);
    // 40 requests. 8.4 tokens pay for 6 retries, and each of 8 in flight at the first failure is good for
    // two.
    EXPECT_LE(tables_.asked().size(), 40u + 6u + 16u);
}

TEST_P(BatchOutages, of_all_requests_cost_no_more_than_the_entries_before_have_paid_in) {
    // With full waits it would take ten seconds; the attempts and the budget are those of the default.
    for (NamedRule& named : plan_.rules) named.rule.backoff.base = 1ms;
    ASSERT_TRUE(write(1'000).complete());
    const std::size_t before = tables_.asked().size();
    tables_.on_request = all_fail;
    EXPECT_EQ(write(1'000).done, 0u);
    // At most 100 tokens, 1.4 for a retry; and two for each of 8 in flight.
    EXPECT_LE(tables_.asked().size() - before, 40u + 71u + 16u);
}

TEST_P(BatchOutages, that_throttle_in_part_are_waited_for_as_leftovers_are) {
    plan_ = quick_batch(30s);  // the default's waits would not show the difference
    plan_.rules[0].rule.backoff = {.base = 1h, .cap = 1h, .jitter = Jitter::none};
    tables_.on_request = [](const Asked& asked) {
        return asked.number == 2 ? Fate{.instead = error(400, "ThrottlingException")} : Fate{};
    };
    EXPECT_TRUE(write(50, {.most = 1}).complete());
    EXPECT_EQ(tables_.sizes(), (std::vector<std::size_t>{25, 25, 25}));
}

TEST_P(BatchOutages, are_outlasted_for_as_many_attempts_as_the_rule_for_batches_has) {
    plan_ = quick_batch();  // no budget, which would end it before the attempts do
    plan_.rules.push_back({"batch", {.attempts = 7, .backoff = {.base = 1ms, .cap = 1ms}}});
    tables_.on_request = all_fail;
    EXPECT_EQ(write(1).sends, 7u);
}

}  // namespace
}  // namespace perdure::dynamodb
