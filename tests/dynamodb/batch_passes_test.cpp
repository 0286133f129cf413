// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/batch_passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace perdure::dynamodb {
namespace {

// What DynamoDB says of a request with one bad entry.
const Failure refused_item{.cause = Cause::invalid,
                           .status = 400,
                           .code = "ValidationException",
                           .stop = Stop::permanent,
                           .attempts = 1};

// The service refuses each request that has a bad key in it. Gives the number of requests.
BatchTotals serve(const BatchPasses& passes, const std::set<std::size_t>& bad) {
    BatchTotals totals{.items = passes.size(), .rounds = 1};
    for (std::size_t from = 0; from < passes.size(); from += passes.chunk_items()) {
        const std::size_t to = std::min(from + passes.chunk_items(), passes.size());
        bool taken = true;
        for (std::size_t at = from; at < to; ++at) taken = taken && !bad.contains(passes.key(at));
        for (std::size_t at = from; at < to && !taken; ++at)
            totals.leftovers.push_back({at, refused_item});
        ++totals.sends;
    }
    totals.done = totals.items - totals.leftovers.size();
    return totals;
}

BatchTotals serve_all(BatchPasses& passes, const std::set<std::size_t>& bad) {
    do passes.take(serve(passes, bad));
    while (passes.again());
    return passes.account();
}

std::set<std::size_t> left_of(const BatchTotals& totals) {
    std::set<std::size_t> left;
    for (const Leftover& leftover : totals.leftovers) left.insert(leftover.index);
    return left;
}

TEST(BatchPasses, one_is_enough_where_nothing_is_refused) {
    BatchPasses passes{60, 25, 1};
    const BatchTotals totals = serve_all(passes, {});
    EXPECT_EQ(totals.done, 60u);
    EXPECT_EQ(totals.sends, 3u);
    EXPECT_EQ(totals.rounds, 1);
}

TEST(BatchPasses, save_the_neighbours_of_a_bad_entry) {
    for (const std::size_t keys : {2u, 25u, 26u, 60u, 500u}) {
        SCOPED_TRACE(keys);
        BatchPasses passes{keys, 25, 1};
        const BatchTotals totals = serve_all(passes, {1});
        EXPECT_EQ(totals.done, keys - 1);
        EXPECT_EQ(left_of(totals), (std::set<std::size_t>{1}));
        EXPECT_EQ(totals.leftovers[0].failure.attempts, 2);
        EXPECT_EQ(totals.leftovers[0].failure.code, "ValidationException");
        EXPECT_EQ(totals.rounds, 2);
    }
}

TEST(BatchPasses, save_those_of_several_refused_requests) {
    BatchPasses passes{200, 25, 1};
    const BatchTotals totals = serve_all(passes, {0, 30, 31, 199});
    EXPECT_EQ(left_of(totals), (std::set<std::size_t>{0, 30, 31, 199}));
    EXPECT_EQ(totals.sends, 8u + 75u);
}

TEST(BatchPasses, stop_after_a_sample_where_nothing_is_taken) {
    std::set<std::size_t> all;
    for (std::size_t key = 0; key < 1'000; ++key) all.insert(key);
    BatchPasses passes{1'000, 25, 1};
    const BatchTotals totals = serve_all(passes, all);
    EXPECT_EQ(totals.done, 0u);
    EXPECT_EQ(totals.leftovers.size(), 1'000u);
    EXPECT_EQ(totals.sends, 40u + 25u);
}

TEST(BatchPasses, send_a_single_key_no_second_time) {
    BatchPasses passes{1, 25, 1};
    const BatchTotals totals = serve_all(passes, {0});
    EXPECT_EQ(totals.sends, 1u);
    EXPECT_EQ(totals.leftovers.size(), 1u);
}

TEST(BatchPasses, leave_alone_what_was_left_for_other_reasons) {
    const Failure reasons[] = {
        {.cause = Cause::throttled, .stop = Stop::deadline, .attempts = 3},
        {.cause = Cause::internal, .status = 500, .stop = Stop::attempts, .attempts = 4},
        {.cause = Cause::invalid, .origin = Origin::application, .stop = Stop::permanent},
        {.cause = Cause::cancelled, .stop = Stop::cancelled, .attempts = 1},
    };
    for (const Failure& why : reasons) {
        SCOPED_TRACE(to_string(why));
        BatchPasses passes{2, 25, 1};
        passes.take({.items = 2, .leftovers = {{0, why}, {1, why}}, .sends = 1});
        EXPECT_FALSE(passes.again());
        EXPECT_EQ(passes.account().leftovers[1].failure, why);
    }
}

TEST(BatchPasses, look_for_a_bad_table_only_where_there_are_several) {
    for (const Cause cause : {Cause::not_found, Cause::forbidden}) {
        const Failure why{.cause = cause, .status = 400, .stop = Stop::permanent, .attempts = 1};
        for (const std::size_t tables : {1u, 2u}) {
            BatchPasses passes{2, 25, tables};
            passes.take({.items = 2, .leftovers = {{0, why}, {1, why}}, .sends = 1});
            EXPECT_EQ(passes.again(), tables == 2);
        }
    }
}

TEST(BatchPasses, never_forget_that_an_outcome_was_unknown) {
    BatchPasses passes{2, 25, 1};
    Failure unknown = refused_item;
    unknown.effect = Effect::unknown;  // an earlier attempt was lost
    unknown.first_cause = Cause::timed_out;
    passes.take({.items = 2, .leftovers = {{0, unknown}, {1, unknown}}, .sends = 2});
    ASSERT_TRUE(passes.again());
    passes.take({.items = 2, .done = 1, .leftovers = {{1, refused_item}}, .sends = 2});
    EXPECT_FALSE(passes.again());
    const BatchTotals totals = passes.account();
    ASSERT_EQ(totals.leftovers.size(), 1u);
    EXPECT_EQ(totals.leftovers[0].failure.effect, Effect::unknown);
    EXPECT_EQ(totals.leftovers[0].failure.first_cause, Cause::timed_out);
}

}  // namespace
}  // namespace perdure::dynamodb
