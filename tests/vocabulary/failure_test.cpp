// SPDX-License-Identifier: Apache-2.0
#include "perdure/failure.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "perdure/policy/rule.hpp"
#include "perdure/safety.hpp"

namespace perdure {
namespace {

struct Row {
    Cause cause;
    Effect effect;
    bool repeated;
    double cost;
};

// design: "Cause is a closed set".
constexpr Row table[] = {
    {Cause::throttled, Effect::none, true, 0.5},
    {Cause::overloaded, Effect::unknown, true, 1.4},
    {Cause::unavailable, Effect::unknown, true, 1.4},
    {Cause::timed_out, Effect::unknown, true, 1.4},
    {Cause::internal, Effect::unknown, true, 1.4},
    {Cause::exhausted, Effect::none, true, 0},
    {Cause::corrupt, Effect::unknown, true, 1.4},
    {Cause::contended, Effect::none, true, 0},
    {Cause::stale_route, Effect::none, true, 0.5},
    {Cause::wrong_region, Effect::none, true, 0.5},
    {Cause::clock_skew, Effect::none, true, 0.5},
    {Cause::credentials, Effect::none, true, 0.5},
    {Cause::conflict, Effect::none, false, 0},
    {Cause::invalid, Effect::none, false, 0},
    {Cause::not_found, Effect::none, false, 0},
    {Cause::too_large, Effect::none, false, 0},
    {Cause::forbidden, Effect::none, false, 0},
    {Cause::cancelled, Effect::unknown, false, 0},
};

TEST(Failure, takes_effect_repeatability_and_cost_from_its_cause) {
    ASSERT_EQ(std::size(table), static_cast<std::size_t>(cause_count));
    std::set<std::string> names;
    for (const auto& [cause, effect, repeated, cost] : table) {
        SCOPED_TRACE(to_string(cause));
        EXPECT_EQ(Failure{.cause = cause}.effect, effect);
        EXPECT_EQ(is_repeatable(cause), repeated);
        if (repeated) {
            EXPECT_EQ(default_cost(cause), cost);
        }
        EXPECT_TRUE(names.insert(std::string{to_string(cause)}).second);
    }
}

TEST(Failure, says_what_is_known_better_than_the_cause_when_it_is_told) {
    const Failure refused{.cause = Cause::unavailable, .effect = Effect::none};
    EXPECT_EQ(refused.effect, Effect::none);
    EXPECT_TRUE(Failure{.cause = Cause::credentials}.remedies.has(Remedy::refresh_credentials));
    EXPECT_TRUE(Failure{.cause = Cause::conflict}.final_in_race);
    EXPECT_FALSE(Failure{.cause = Cause::unavailable}.final_in_race);
    EXPECT_EQ(Failure{.cause = Cause::internal}.first_cause, Cause::internal);
}

TEST(Failure, whose_cause_changes_is_as_if_it_had_been_made_with_it) {
    for (const auto& row : table)
        for (const Cause before : {Cause::internal, Cause::not_found, Cause::credentials}) {
            Failure changed{.cause = before, .status = 404, .message = "no such user"};
            changed.set_cause(row.cause);
            EXPECT_EQ(changed,
                      (Failure{.cause = row.cause, .status = 404, .message = "no such user"}))
                << to_string(before) << " to " << to_string(row.cause);
        }
}

TEST(Failure, is_copied_with_its_cause) {
    const Failure made{.cause = Cause::throttled};
    Failure copied{.cause = Cause::not_found};
    copied = made;
    EXPECT_EQ(copied.cause, Cause::throttled);
    EXPECT_EQ(copied, made);
}

// Where only the cause is replaced on purpose.
TEST(Failure, keeps_its_effect_when_a_whole_failure_cause_is_assigned) {
    Failure failure{.cause = Cause::conflict};
    failure.cause = FailureCause{Cause::unavailable};
    EXPECT_EQ(failure.cause, Cause::unavailable);
    EXPECT_EQ(failure.effect, Effect::none);
}

TEST(Effect, joined_is_the_worse_of_the_two_and_an_unknown_is_never_forgotten) {
    constexpr Effect all[] = {Effect::none, Effect::unknown, Effect::applied};
    for (const Effect a : all)
        for (const Effect b : all) {
            EXPECT_EQ(join(a, b), join(b, a));
            EXPECT_GE(join(a, b), a);
            EXPECT_EQ(join(a, a), a);
        }
    EXPECT_EQ(join(Effect::unknown, Effect::none), Effect::unknown);
    EXPECT_EQ(join(Effect::unknown, Effect::applied), Effect::applied);
}

TEST(Safety, only_once_forbids_to_repeat_what_may_have_happened) {
    EXPECT_FALSE(may_repeat_unknown(Safety::once));
    EXPECT_TRUE(may_repeat_unknown(Safety::guarded));
    EXPECT_TRUE(may_repeat_unknown(Safety::idempotent));
    EXPECT_TRUE(may_repeat_unknown(Safety::read));
}

TEST(RemedySet, joins_and_names_its_members) {
    const RemedySet both = Remedy::mark_endpoint | Remedy::next_endpoint;
    EXPECT_TRUE(both.has(Remedy::next_endpoint));
    EXPECT_FALSE(both.has(Remedy::fresh_connection));
    EXPECT_EQ(to_string(both), "next_endpoint, mark_endpoint");
    EXPECT_EQ(to_string(RemedySet{}), "");
}

TEST(Failure, names_a_number_once_that_is_status_and_code) {
    EXPECT_EQ(to_string(Failure{.cause = Cause::conflict, .status = 2067, .code = "2067"}),
              "conflict, effect none, code 2067");
}

TEST(Failure, reads_as_one_line_with_everything_a_night_shift_needs) {
    Failure failure{.cause = Cause::unavailable,
                    .dependency = "users",
                    .status = 503,
                    .code = "Busy",
                    .message = "later"};
    EXPECT_EQ(to_string(failure),
              "users: unavailable, effect unknown, status 503, code Busy: later");
    failure.stop = Stop::budget;
    failure.attempts = 2;
    failure.first_cause = Cause::timed_out;
    failure.request_id = "r-1";
    EXPECT_EQ(to_string(failure),
              "users: unavailable, effect unknown, status 503, code Busy: later, request r-1; "
              "gave up: the retry budget was empty after 2 attempts, first timed_out");
}

TEST(Duration, added_to_a_time_holds_at_the_ends_of_the_range) {
    const TimePoint late = TimePoint::max() - 1s;
    EXPECT_EQ(after(late, 2s), TimePoint::max());
    EXPECT_EQ(after(late, never), TimePoint::max());
    EXPECT_EQ(after(TimePoint::min() + 1s, -2s), TimePoint::min());
    EXPECT_EQ(after(TimePoint{5s}, 2s), TimePoint{7s});
}

}  // namespace
}  // namespace perdure
