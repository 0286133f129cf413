// SPDX-License-Identifier: Apache-2.0
//
// Are the delays the published ones? Every formula value by value, with chance held still.
#include "perdure/policy/backoff.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"

namespace perdure {
namespace {

using testing::FixedRandom;
using testing::ListedRandom;
using Delays = std::vector<Duration>;

Delays delays(const Backoff& backoff, std::size_t count, Random& random) {
    Series series;
    Delays all;
    while (all.size() < count) all.push_back(next_delay(backoff, series, random));
    return all;
}

struct Formula {
    std::string name;
    Backoff backoff;
    double draw;
    Delays expected;
};

const Backoff before_2026{.base = 1s, .cap = 20s, .cap_place = CapPlace::outside_jitter};
const Backoff grpc{.base = 100ms, .cap = 1s, .jitter = {0.8, 1.2}};
const Backoff grpc_connection{.base = 1s, .factor = 1.6, .cap = 120s, .jitter = {0.8, 1.2}};
const Backoff envoy{.base = 25ms, .cap = 250ms, .curve = Curve::exponential_less_one, .skip = 1};
const Backoff azure{.base = 800ms,
                    .cap = 60s,
                    .jitter = {0.8, 1.3},
                    .cap_place = CapPlace::outside_jitter,
                    .skip = 1};
const Backoff ef_core{.base = 1s,
                      .cap = 30s,
                      .jitter = {1, 1.1},
                      .curve = Curve::exponential_less_one,
                      .cap_place = CapPlace::outside_jitter};
const Backoff polly_constant{.base = 2s,
                             .cap = never,
                             .jitter = {0.75, 1.25},
                             .curve = Curve::constant,
                             .cap_place = CapPlace::outside_jitter};

std::vector<Formula> formulas() {
    const Backoff plain{.base = 100ms, .cap = 1s, .jitter = Jitter::none};
    const Backoff full{.base = 100ms, .cap = 1s};
    const Backoff equal{.base = 100ms, .cap = 1s, .jitter = Jitter::equal};
    const Backoff walk{.base = 100ms, .cap = 2s, .curve = Curve::decorrelated};
    const Backoff aws{.base = 50ms, .cap = 20s};
    Backoff polly_linear = polly_constant;
    polly_linear.curve = Curve::linear;
    return {
        {"none waits not at all", {.base = 0ms}, 1, {0ms, 0ms, 0ms}},
        {"exponential doubles up to the cap", plain, 0.5, {100ms, 200ms, 400ms, 800ms, 1s, 1s}},
        {"full jitter begins at nothing", full, 0, {0ms, 0ms, 0ms}},
        {"full jitter is half the ceiling in the middle",
         full,
         0.5,
         {50ms, 100ms, 200ms, 400ms, 500ms}},
        {"full jitter ends at the ceiling", full, 1, {100ms, 200ms, 400ms, 800ms, 1s}},
        {"equal jitter begins at half", equal, 0, {50ms, 100ms, 200ms, 400ms, 500ms}},
        {"equal jitter: three quarters in the middle",
         equal,
         0.5,
         {75ms, 150ms, 300ms, 600ms, 750ms}},
        {"equal jitter ends at the ceiling", equal, 1, {100ms, 200ms, 400ms, 800ms, 1s}},
        {"decorrelated never falls below the base", walk, 0, {100ms, 100ms, 100ms}},
        {"decorrelated walks from the last delay", walk, 0.5, {200ms, 350ms, 575ms, 912'500us}},
        {"decorrelated triples at most, up to the cap", walk, 1, {300ms, 900ms, 2s, 2s}},
        {"what is added is added above the cap",
         {.base = 100ms, .cap = 200ms, .jitter = Jitter::none, .plus = 5s},
         1,
         {5100ms, 5200ms, 5200ms}},
        {"AWS 2026: transient", aws, 1, {50ms, 100ms, 200ms, 400ms}},
        {"AWS 2026: throttled", {.base = 1s, .cap = 20s}, 1, {1s, 2s, 4s, 8s, 16s, 20s, 20s}},
        {"AWS 2026: jitter also at the cap",
         {.base = 1s, .cap = 20s},
         0.5,
         {500ms, 1s, 2s, 4s, 8s, 10s, 10s}},
        {"AWS 2026: DynamoDB", {.base = 25ms, .cap = 20s}, 1, {25ms, 50ms, 100ms}},
        {"AWS before 2026: the cap comes after",
         before_2026,
         0.5,
         {500ms, 1s, 2s, 4s, 8s, 16s, 20s, 20s}},
        {"gRPC: 20 % less", grpc, 0, {80ms, 160ms, 320ms, 640ms, 800ms}},
        {"gRPC: as configured in the middle", grpc, 0.5, {100ms, 200ms, 400ms, 800ms, 1s}},
        {"gRPC: 20 % more, above the maximum too", grpc, 1, {120ms, 240ms, 480ms, 960ms, 1200ms}},
        {"gRPC connections grow by 1.6", grpc_connection, 0.5, {1s, 1600ms, 2560ms, 4096ms}},
        {"Envoy: (2^N - 1) times 25 ms, up to 250 ms", envoy, 1, {25ms, 75ms, 175ms, 250ms, 250ms}},
        {"Envoy: from nothing", envoy, 0, {0ms, 0ms}},
        {"Azure: the first delay is twice the base", azure, 0.4, {1600ms, 3200ms, 6400ms}},
        {"Azure: 20 % less", azure, 0, {1280ms, 2560ms, 5120ms}},
        {"Azure: 30 % more, the cap after it",
         azure,
         1,
         {2080ms, 4160ms, 8320ms, 16'640ms, 33'280ms, 60s}},
        {"EF Core: 0, 1, 3, 7, 15, 30 s", ef_core, 0, {0s, 1s, 3s, 7s, 15s, 30s}},
        {"EF Core: 10 % more, the cap after it",
         ef_core,
         1,
         {0s, 1100ms, 3300ms, 7700ms, 16'500ms, 30s}},
        {"Polly constant: a quarter less", polly_constant, 0, {1500ms, 1500ms}},
        {"Polly constant: a quarter more", polly_constant, 1, {2500ms, 2500ms}},
        {"Polly linear: a quarter more", polly_linear, 1, {2500ms, 5s, 7500ms}},
        {"a first retry at once, then the series goes on",
         {.base = 25ms, .cap = never, .jitter = Jitter::none, .first = FirstRetry::at_once},
         0.5,
         {0ms, 50ms, 100ms, 200ms}},
    };
}

TEST(Backoff, follows_every_published_formula) {
    for (const Formula& formula : formulas()) {
        SCOPED_TRACE(formula.name);
        FixedRandom random{formula.draw};
        const Delays got = delays(formula.backoff, formula.expected.size(), random);
        for (std::size_t n = 0; n < got.size(); ++n)
            EXPECT_NEAR(static_cast<double>(got[n].count()),
                        static_cast<double>(formula.expected[n].count()), 2)
                << "retry " << n;
    }
}

TEST(Backoff, smooth_has_the_medians_measured_for_polly) {
    const Backoff polly{.base = 1s, .cap = never, .curve = Curve::smooth};
    constexpr std::uint64_t seed = 20260301;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    constexpr std::size_t series = 40'001;
    std::vector<Delays> by_retry(6);
    for (std::size_t i = 0; i < series; ++i) {
        const Delays one = delays(polly, by_retry.size(), random);
        for (std::size_t n = 0; n < one.size(); ++n) by_retry[n].push_back(one[n]);
    }
    const double medians[] = {0.90, 1.14, 2.02, 4.02, 8.01, 16.0};
    for (std::size_t n = 0; n < by_retry.size(); ++n) {
        Delays& all = by_retry[n];
        std::nth_element(all.begin(), all.begin() + series / 2, all.end());
        const double median = std::chrono::duration<double>(all[series / 2]).count();
        EXPECT_NEAR(median, medians[n], 0.02 * medians[n]) << "retry " << n;
    }
    Delays& first = by_retry[0];
    std::sort(first.begin(), first.end());
    EXPECT_NEAR(std::chrono::duration<double>(first[series / 20]).count(), 0.31, 0.02);
    EXPECT_NEAR(std::chrono::duration<double>(first[series * 19 / 20]).count(), 1.33, 0.02);
}

TEST(Backoff, without_jitter_asks_chance_for_nothing) {
    ListedRandom random{{0.5}};
    delays({.base = 1s, .jitter = Jitter::none}, 10, random);
    EXPECT_EQ(random.drawn(), 0U);
    delays({.base = 1s}, 10, random);
    EXPECT_EQ(random.drawn(), 10U);
}

constexpr Curve curves[] = {Curve::exponential, Curve::exponential_less_one, Curve::constant,
                            Curve::linear,      Curve::decorrelated,         Curve::smooth};

TEST(Backoff, survives_the_ends_of_its_numbers) {
    for (const Curve curve : curves) {
        for (const Duration base : {Duration{1}, Duration{1s}, Duration{never}}) {
            for (const CapPlace place : {CapPlace::inside_jitter, CapPlace::outside_jitter}) {
                for (const double draw : {0.0, 0.5, 1.0}) {
                    SCOPED_TRACE(static_cast<int>(curve));
                    FixedRandom random{draw};
                    const Backoff backoff{
                        .base = base, .cap = never, .curve = curve, .cap_place = place, .skip = 7};
                    constexpr int last = std::numeric_limits<int>::max();
                    Series series{.position = last};
                    EXPECT_GE(next_delay(backoff, series, random), Duration::zero());
                    EXPECT_GE(next_delay(backoff, series, random), Duration::zero());
                    EXPECT_EQ(series.position, last);
                    EXPECT_GE(longest_delay(backoff, last), Duration::zero());
                }
            }
        }
    }
    FixedRandom ceiling{1};
    Series far{.position = 2'000};
    EXPECT_EQ(next_delay({.base = 1s, .cap = never}, far, ceiling), never);
}

Backoff any_backoff(Random& random) {
    Backoff backoff;
    backoff.base = Duration{static_cast<Duration::rep>(random.next() * 1e10)};
    backoff.factor = 1 + 3 * random.next();
    backoff.cap =
        random.next() < 0.1 ? never : Duration{static_cast<Duration::rep>(random.next() * 1e11)};
    backoff.jitter.low = random.next();
    backoff.jitter.high = backoff.jitter.low + (1 - backoff.jitter.low) * random.next();
    backoff.curve = curves[random.bits() % std::size(curves)];
    backoff.cap_place = random.next() < 0.5 ? CapPlace::inside_jitter : CapPlace::outside_jitter;
    backoff.first = random.next() < 0.5 ? FirstRetry::waits : FirstRetry::at_once;
    backoff.skip = static_cast<int>(random.next() * 5);
    return backoff;
}

TEST(Backoff, never_waits_longer_than_the_cap_nor_than_it_said) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SeededRandom random{seed};
        const Backoff backoff = any_backoff(random);
        Series series;
        for (int n = 0; n < 80; ++n) {
            const Duration longest = longest_delay(backoff, n);
            const Duration delay = next_delay(backoff, series, random);
            ASSERT_GE(delay, Duration::zero()) << "retry " << n;
            ASSERT_LE(delay, backoff.cap) << "retry " << n;
            ASSERT_LE(delay, longest) << "retry " << n;
        }
    }
}

TEST(Backoff, scatters_clients_that_have_reached_the_cap_only_when_the_cap_lies_inside) {
    SeededRandom random{7};
    Backoff backoff{.base = 1s, .cap = 2s};
    const auto at_cap = [&] {
        int exactly = 0;
        for (int client = 0; client < 1'000; ++client) {
            Series series{.position = 10};
            exactly += next_delay(backoff, series, random) == backoff.cap ? 1 : 0;
        }
        return exactly;
    };
    EXPECT_EQ(at_cap(), 0);
    backoff.cap_place = CapPlace::outside_jitter;
    EXPECT_GT(at_cap(), 990);
}

}  // namespace
}  // namespace perdure
