// SPDX-License-Identifier: Apache-2.0
//
// Is a cancelled transaction repeated exactly when all that stands against it passes by itself?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "perdure/dynamodb/classify.hpp"

namespace perdure::dynamodb {
namespace {

std::vector<CancellationReason> reasons(const std::vector<std::string>& codes) {
    std::vector<CancellationReason> made;
    for (const std::string& code : codes) made.push_back({.code = code});
    return made;
}

Cause judged(const std::vector<std::string>& codes) { return judge_cancellation(reasons(codes)); }

TEST(Cancellation, by_one_reason_is_repeated_or_final_as_the_reason_says) {
    const struct {
        std::string code;
        Cause cause;
    } cases[] = {
        {"TransactionConflict", Cause::contended},
        {"ProvisionedThroughputExceeded", Cause::throttled},
        {"ThrottlingError", Cause::throttled},
        {"ConditionalCheckFailed", Cause::conflict},
        {"ItemCollectionSizeLimitExceeded", Cause::too_large},
        {"ValidationError", Cause::invalid},
        {"DuplicateItem", Cause::conflict},
        {"AccessDenied", Cause::forbidden},
        {"ResourceNotFound", Cause::not_found},
        {"InternalServerError", Cause::invalid},
        {"SomethingNew", Cause::invalid},
        {"", Cause::invalid},
    };
    for (const auto& [code, cause] : cases) {
        EXPECT_EQ(judged({code}), cause) << code;
        EXPECT_EQ(judged({"None", code, "None"}), cause)
            << code << " among actions without a problem";
    }
}

TEST(Cancellation, without_a_reason_is_final) {
    EXPECT_EQ(judged({}), Cause::conflict);
    EXPECT_EQ(judged({"None", "None"}), Cause::conflict);
}

TEST(Cancellation, by_a_conflict_beside_a_failed_condition_is_final) {
    EXPECT_EQ(judged({"TransactionConflict", "ConditionalCheckFailed"}), Cause::conflict);
    EXPECT_EQ(judged({"ConditionalCheckFailed", "TransactionConflict"}), Cause::conflict);
    EXPECT_EQ(judged({"ThrottlingError", "ValidationError"}), Cause::invalid);
}

TEST(Cancellation, names_the_failed_condition_whatever_else_is_final) {
    EXPECT_EQ(judged({"ValidationError", "ConditionalCheckFailed"}), Cause::conflict);
    EXPECT_EQ(judged({"ConditionalCheckFailed", "ValidationError"}), Cause::conflict);
}

TEST(Cancellation, with_throttling_beside_conflicts_waits_as_for_throttling) {
    EXPECT_EQ(judged({"TransactionConflict", "ThrottlingError"}), Cause::throttled);
    EXPECT_EQ(judged({"ProvisionedThroughputExceeded", "None", "TransactionConflict"}),
              Cause::throttled);
}

TEST(Cancellation, is_judged_the_same_in_any_order_of_any_three_reasons) {
    const std::vector<std::string> codes = {"None",
                                            "TransactionConflict",
                                            "ProvisionedThroughputExceeded",
                                            "ThrottlingError",
                                            "ValidationError",
                                            "ConditionalCheckFailed",
                                            "ItemCollectionSizeLimitExceeded",
                                            "New"};
    const auto passes = [](const std::string& code) {
        return code == "TransactionConflict" || code == "ThrottlingError" ||
               code == "ProvisionedThroughputExceeded";
    };
    for (const std::string& a : codes)
        for (const std::string& b : codes)
            for (const std::string& c : codes) {
                const std::vector<std::string> all = {a, b, c};
                const bool some = std::any_of(all.begin(), all.end(), passes);
                const bool no_final = std::all_of(all.begin(), all.end(), [&](const auto& code) {
                    return code == "None" || passes(code);
                });
                const Cause cause = judged(all);
                EXPECT_EQ(is_repeatable(cause), some && no_final) << a << ' ' << b << ' ' << c;
                EXPECT_EQ(cause == Cause::contended,
                          some && no_final &&
                              std::none_of(
                                  all.begin(), all.end(),
                                  [](const auto& code) { return code.find("Thro") != code.npos; }))
                    << a << ' ' << b << ' ' << c;
            }
}

TEST(Cancellation, says_that_nothing_was_done_and_names_its_rule) {
    const auto failure = [](const std::vector<std::string>& codes) {
        const ServiceError error{.code = "TransactionCanceledException",
                                 .cancellation = reasons(codes)};
        return classify({.status = 400, .error = &error, .operation = "TransactWriteItems"});
    };
    const Failure contended = failure({"None", "TransactionConflict"});
    EXPECT_EQ(contended.cause, Cause::contended);
    EXPECT_EQ(contended.effect, Effect::none);
    EXPECT_EQ(contended.rule, "");
    EXPECT_EQ(contended.message, "reasons None, TransactionConflict");
    const Failure throttled = failure({"ThrottlingError"});
    EXPECT_EQ(throttled.cause, Cause::throttled);
    EXPECT_EQ(throttled.rule, "transaction-throttled") << "which only the SDKs' plans have";
    const Failure final = failure({"ConditionalCheckFailed", "TransactionConflict"});
    EXPECT_EQ(final.cause, Cause::conflict);
    EXPECT_EQ(final.effect, Effect::none);
    EXPECT_TRUE(final.final_in_race);
}

}  // namespace
}  // namespace perdure::dynamodb
