// SPDX-License-Identifier: Apache-2.0
//
// What happens when calls are made inside the attempts of other calls?
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace perdure::testing {
namespace {

struct NestedCalls : ::testing::Test {
    VirtualClock clock;
    FixedRandom floor{0.0};  // no delays
    const Environment environment{clock, floor};

    // Without a budget, because the attempts of layers that multiply are counted.
    Caller caller(std::string name, int attempts = 3, Duration deadline = 10s) const {
        return Caller{{.name = std::move(name),
                       .deadline = deadline,
                       .rule = {.attempts = attempts},
                       .budget = {.kind = BudgetKind::none}},
                      environment};
    }
};

const Operation idempotent{.safety = Safety::idempotent};
Result<int> down() { return fail({.cause = Cause::unavailable}); }

// Five services in a row, each calling the next; the last one is down. Without budgets, because the
// attempts that multiply are counted.
class Tower {
public:
    enum class Passing : std::uint8_t { nothing, attempt };
    Tower(const Environment& environment, Passing passing, Nested nested)
        : passing_{passing}, nested_{nested} {
        for (int i = 0; i < 5; ++i)
            layers_.push_back(std::make_unique<Caller>(Plan{.name = "layer " + std::to_string(i),
                                                            .rule = {.attempts = 3},
                                                            .budget = {.kind = BudgetKind::none}},
                                                       environment));
    }

    Result<int> call() { return layers_[0]->run(operation(), into(1)); }
    int attempts_at_the_bottom = 0;

private:
    Operation operation() const { return {.safety = Safety::idempotent, .nested = nested_}; }
    std::function<Result<int>(const Attempt&)> into(std::size_t layer) {
        return [this, layer](const Attempt& attempt) -> Result<int> {
            if (layer == layers_.size()) {
                ++attempts_at_the_bottom;
                return down();
            }
            return passing_ == Passing::attempt
                       ? layers_[layer]->run(attempt, operation(), into(layer + 1))
                       : layers_[layer]->run(operation(), into(layer + 1));
        };
    }

    std::vector<std::unique_ptr<Caller>> layers_;
    const Passing passing_;
    const Nested nested_;
};

TEST_F(NestedCalls, five_layers_of_three_attempts_make_three_and_not_243) {
    const struct {
        const char* how;
        Tower::Passing passing;
        Nested nested;
        int attempts;
    } cases[] = {
        {"the attempt is passed down", Tower::Passing::attempt, Nested::one_attempt, 3},
        {"it is not", Tower::Passing::nothing, Nested::one_attempt, 243},
        {"own retries, on purpose", Tower::Passing::attempt, Nested::own_retries, 243},
    };
    for (const auto& [how, passing, nested, attempts] : cases) {
        SCOPED_TRACE(how);
        Tower tower{environment, passing, nested};
        const auto result = tower.call();
        ASSERT_FALSE(result);
        EXPECT_EQ(tower.attempts_at_the_bottom, attempts);
        EXPECT_EQ(result.error().cause, Cause::unavailable);
        EXPECT_EQ(result.error().stop, Stop::attempts);
        EXPECT_EQ(result.error().attempts, 3);
    }
}

TEST_F(NestedCalls, keep_the_name_of_the_dependency_that_failed) {
    Caller outer = caller("shop"), inner = caller("stock");
    const auto result = outer.run(
        idempotent, [&](const Attempt& attempt) { return inner.run(attempt, idempotent, down); });
    EXPECT_EQ(result.error().dependency, "stock");
}

TEST_F(NestedCalls, have_the_tighter_deadline) {
    const struct {
        Duration outer, inner, expected;
    } cases[] = {{3s, 10s, 1s}, {30s, 4s, 4s}, {12s, never, 4s}};
    for (const auto& [outer_deadline, inner_deadline, expected] : cases) {
        Caller outer = caller("shop", 3, outer_deadline),
               inner = caller("stock", 3, inner_deadline);
        TimePoint seen{};
        const TimePoint start = clock.now();
        (void)outer.run({}, [&](const Attempt& attempt) {
            return inner.run(attempt, {}, [&](const Attempt& nested) -> Result<int> {
                seen = nested.call_deadline.at();
                return 1;
            });
        });
        EXPECT_EQ(seen - start, expected) << "an attempt has a third of the outer deadline";
    }
}

TEST_F(NestedCalls, are_not_started_when_the_outer_attempt_has_no_time_left) {
    Caller outer = caller("shop", 1, 3s), inner = caller("stock");
    int asked = 0;
    const auto result = outer.run({}, [&](const Attempt& attempt) {
        clock.advance(1s);
        return inner.run(attempt, {}, [&]() -> Result<int> { return ++asked; });
    });
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(result.error().cause, Cause::timed_out);
    EXPECT_EQ(result.error().effect, Effect::none);
}

TEST_F(NestedCalls, that_succeeded_once_make_the_outer_attempt_s_effect_applied) {
    const struct {
        Safety inner;
        Effect effect;
        Stop stop;
    } cases[] = {{Safety::once, Effect::applied, Stop::unsafe},
                 {Safety::guarded, Effect::none, Stop::attempts},
                 {Safety::idempotent, Effect::none, Stop::attempts},
                 {Safety::read, Effect::none, Stop::attempts}};
    for (const auto& [safety, effect, stop] : cases) {
        SCOPED_TRACE(to_string(safety));
        Caller outer = caller("shop"), inner = caller("stock");
        const auto result = outer.run({}, [&](const Attempt& attempt) -> Result<int> {
            EXPECT_TRUE(inner.run(attempt, {.safety = safety}, []() -> Result<int> { return 1; }));
            return fail({.cause = Cause::contended});  // rolled back here, but not there
        });
        EXPECT_EQ(result.error().effect, effect);
        EXPECT_EQ(result.error().stop, stop);
    }
}

TEST_F(NestedCalls, whose_outcome_is_unknown_make_the_outer_attempt_unknown) {
    Caller outer = caller("shop"), inner = caller("stock");
    int attempts = 0;
    const auto result = outer.run({}, [&](const Attempt& attempt) -> Result<int> {
        ++attempts;
        (void)inner.run(attempt, idempotent, down);
        return fail({.cause = Cause::contended});
    });
    EXPECT_EQ(attempts, 1);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_EQ(result.error().stop, Stop::unsafe);
}

TEST_F(NestedCalls, are_joined_to_the_worst_of_them_whatever_their_order) {
    const std::stop_token nobody;
    for (const auto& order : {std::vector{Effect::applied, Effect::unknown, Effect::none},
                              std::vector{Effect::none, Effect::unknown, Effect::applied}}) {
        AttemptLink link{nobody};
        for (const Effect effect : order) link.join(effect);
        EXPECT_EQ(link.nested(), Effect::applied);
    }
}

TEST_F(NestedCalls, that_threw_may_have_happened) {
    Caller outer = caller("shop"), inner = caller("stock");
    const auto result = outer.run({}, [&](const Attempt& attempt) -> Result<int> {
        try {
            (void)inner.run(attempt, {}, []() -> Result<int> { throw 1; });
        } catch (int thrown) {
            EXPECT_EQ(thrown, 1);
        }
        return fail({.cause = Cause::contended});
    });
    EXPECT_EQ(result.error().effect, Effect::unknown);
}

TEST_F(NestedCalls, that_are_resolved_are_no_longer_unknown) {
    Caller outer = caller("shop"), inner = caller("stock");
    const auto gone = []() -> Result<Landed<int>> { return Landed<int>::no(); };
    const auto result =
        outer.run({}, [&](const Attempt& attempt) { return inner.run(attempt, {}, down, gone); });
    EXPECT_EQ(result.error().effect, Effect::none);
    EXPECT_EQ(result.error().stop, Stop::attempts);
    EXPECT_EQ(result.error().attempts, 3);
}

TEST_F(NestedCalls, apply_their_own_remedies_and_leave_the_others_alone) {
    Caller outer = caller("shop"), inner = caller("stock");
    std::vector<std::string> done;
    const auto outer_prepare = [&](RemedySet remedies, const Attempt&) -> Result<void> {
        done.push_back("shop " + to_string(remedies));
        return {};
    };
    const auto inner_prepare = [&](RemedySet remedies, const Attempt&) -> Result<void> {
        done.push_back("stock " + to_string(remedies));
        return {};
    };
    (void)outer.run({.prepare = outer_prepare}, [&](const Attempt& attempt) {
        return inner.run(attempt, {.prepare = inner_prepare}, [&]() -> Result<int> {
            if (done.empty()) return fail({.cause = Cause::credentials});
            return 1;
        });
    });
    EXPECT_EQ(done, (std::vector<std::string>{"stock refresh_credentials"}));
}

// Six attempts of one call within a moment of a break are one call caught by it, not six.
TEST_F(NestedCalls, in_a_repeat_of_the_outer_call_are_not_further_calls_in_flight_at_a_break) {
    Caller outer = caller("outer", 6);
    Caller inner{{.name = "inner"}, environment};
    ASSERT_TRUE(inner.run(idempotent, []() -> Result<int> { return 1; }));
    clock.advance(1s);
    const int at_the_start = inner.budget().milli_for_caught();
    int attempts = 0;
    (void)outer.run(idempotent, [&](const Attempt& attempt) {
        ++attempts;
        return inner.run(attempt, idempotent, down);
    });
    EXPECT_EQ(attempts, 6);
    EXPECT_EQ(inner.budget().milli_for_caught(), at_the_start);
}

TEST_F(NestedCalls, count_for_their_own_dependency_s_budget_and_latencies) {
    Caller outer = caller("shop"), inner = caller("stock");
    (void)outer.run(idempotent,
                    [&](const Attempt& attempt) { return inner.run(attempt, idempotent, down); });
    EXPECT_EQ(inner.counts().calls_failed, 3u);
    EXPECT_EQ(inner.counts().retries_made, 0u);
    EXPECT_EQ(outer.counts().retries_made, 2u);
    EXPECT_EQ(outer.latencies().count(), 0u);
}

}  // namespace
}  // namespace perdure::testing
