// SPDX-License-Identifier: Apache-2.0
#include "perdure/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "perdure/call/fallback.hpp"
#include "perdure/landed.hpp"
#include "perdure/try.hpp"

namespace perdure {
namespace {

using Text = Result<std::string>;

Text good() { return std::string{"a value long enough to live on the heap"}; }
Text bad() { return fail({.cause = Cause::throttled, .code = "slow-down"}); }

TEST(Result, is_a_value_and_a_null_pointer_when_all_went_well) {
    EXPECT_EQ(sizeof(Result<long>), 2 * sizeof(void*));
    EXPECT_TRUE(good());
    EXPECT_EQ(good()->size(), 39u);
    EXPECT_FALSE(bad());
    EXPECT_EQ(bad().error().code, "slow-down");
}

TEST(Result, copies_moves_and_assigns_in_all_four_combinations) {
    for (const bool from_good : {true, false})
        for (const bool to_good : {true, false}) {
            const Text from = from_good ? good() : bad();
            Text copied = to_good ? good() : bad();
            copied = from;
            EXPECT_EQ(copied, from);
            Text moved = to_good ? good() : bad();
            moved = std::move(copied);
            EXPECT_EQ(moved, from);
            copied = moved;  // what was moved from may be assigned again
            EXPECT_EQ(copied, from);
            Text& self = copied;
            copied = self;
            EXPECT_EQ(copied, from);
        }
}

TEST(Result, moves_a_failure_without_allocating_another) {
    Text first = bad();
    const Failure* const box = &first.error();
    Text second = std::move(first);
    EXPECT_EQ(&second.error(), box);
    Text third = second.take_failure();
    EXPECT_EQ(&third.error(), box);
}

TEST(Result, holds_what_can_only_be_moved) {
    Result<std::unique_ptr<int>> owner = std::make_unique<int>(7);
    EXPECT_EQ(**owner, 7);
    const std::unique_ptr<int> taken = *std::move(owner);
    EXPECT_EQ(*taken, 7);
}

TEST(Result, value_throws_the_failure_when_there_is_none) {
    try {
        (void)bad().value();
        FAIL();
    } catch (const FailureError& error) {
        EXPECT_EQ(error.failure().cause, Cause::throttled);
        EXPECT_NE(std::string{error.what()}.find("slow-down"), std::string::npos);
    }
    EXPECT_EQ(good().value(), *good());
}

TEST(Result, value_or_gives_the_substitute_only_for_a_failure) {
    EXPECT_EQ(bad().value_or("other"), "other");
    EXPECT_EQ(good().value_or("other"), *good());
    const Text kept = bad();
    EXPECT_EQ(kept.value_or("other"), "other");
}

TEST(Result, monadic_steps_pass_failures_along_untouched) {
    const auto length = [](const std::string& text) { return text.size(); };
    const auto never_called = [](const std::string&) -> Result<int> {
        ADD_FAILURE();
        return 1;
    };
    EXPECT_EQ(*good().transform(length), 39u);
    EXPECT_EQ(bad().transform(length).error().code, "slow-down");
    EXPECT_EQ(bad().and_then(never_called).error().code, "slow-down");
    EXPECT_EQ(*good().and_then([](const std::string& text) -> Result<char> { return text[0]; }),
              'a');
    EXPECT_TRUE(good().transform([](const std::string&) {}));
    EXPECT_EQ(*bad().or_else([](const Failure&) -> Text { return "again"; }), "again");
    EXPECT_EQ(bad()
                  .transform_error([](Failure failure) {
                      failure.code = "renamed";
                      return failure;
                  })
                  .error()
                  .code,
              "renamed");
    const Text kept = good();
    EXPECT_EQ(*kept.transform(length), 39u);
    EXPECT_EQ(*kept.or_else([](const Failure&) -> Text { return "no"; }), *kept);
}

TEST(Result, of_nothing_chains_like_the_others) {
    const Result<void> done;
    EXPECT_TRUE(done);
    EXPECT_EQ(*done.transform([] { return 3; }), 3);
    EXPECT_TRUE(done.and_then([] { return Result<void>{}; }));
    const Result<void> broken = fail({.cause = Cause::invalid});
    EXPECT_EQ(broken.transform([] { return 3; }).error().cause, Cause::invalid);
    EXPECT_TRUE(broken.or_else([](const Failure&) { return Result<void>{}; }));
    EXPECT_THROW(broken.value(), FailureError);
    EXPECT_NE(done, broken);
}

Result<int> sum_of(const std::vector<Result<int>>& steps) {
    int sum = 0;
    for (const auto& step : steps) {
        PERDURE_TRY_VALUE(const int value, step);
        sum += value;
    }
    PERDURE_TRY(Result<void>{});
    return sum;
}

TEST(Try, returns_the_first_failure_and_goes_on_otherwise) {
    EXPECT_EQ(*sum_of({1, 2, 3}), 6);
    EXPECT_EQ(sum_of({1, fail({.code = "second"}), fail({.code = "third"})}).error().code,
              "second");
}

TEST(Landed, carries_a_value_only_with_yes) {
    EXPECT_EQ(Landed<int>::yes(3).value(), 3);
    EXPECT_EQ(Landed<int>::no().verdict(), Verdict::no);
    EXPECT_EQ(Landed<int>::pending(2s).ask_again_after(), 2s);
    EXPECT_EQ(Landed<void>::yes().verdict(), Verdict::yes);
    EXPECT_EQ(Landed<void>::unknown().verdict(), Verdict::unknown);
}

TEST(FallBack, never_hides_that_something_may_have_happened) {
    const auto substitute = [](const Failure&) { return std::string{"cached"}; };
    EXPECT_EQ(*fall_back(bad(), substitute), "cached");
    EXPECT_EQ(*fall_back(good(), substitute), *good());
    const Text lost = fail({.cause = Cause::timed_out});
    EXPECT_EQ(fall_back(lost, substitute).error().effect, Effect::unknown);
    EXPECT_EQ(*fall_back(lost, substitute, FallBack::whatever_happened), "cached");
}

}  // namespace
}  // namespace perdure
