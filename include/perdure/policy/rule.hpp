// SPDX-License-Identifier: Apache-2.0
//
// How often, how long and at what price is one kind of failure repeated?
//
//     Rule{.attempts = 10, .window = 30s, .backoff = {.base = 10ms, .cap = 1s}, .cost = 0}   // 449
//
// A plan has one default rule and named ones; a failure names its rule, else its cause does
// ("throttled"), else the default serves. So 429, 449, TransactionInProgress and lock conflicts
// are rows of a table, not loops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perdure/cause.hpp"
#include "perdure/policy/backoff.hpp"

namespace perdure {
inline namespace v0 {

// What a server's "come back after d" does to our own delay.
enum class HintUse : std::uint8_t {
    at_least,  // the longer of the two
    clamp,     // the server's, but not below ours and at most `by` above (AWS 2026: 5 s)
    replace,   // the server's exactly, and the series starts again (gRPC push-back)
    plus,      // the server's plus up to `by` of jitter, so that a fleet does not return at once
    ignore,
};

struct Hint {
    HintUse use = HintUse::at_least;
    Duration by{};
    friend constexpr bool operator==(Hint, Hint) noexcept = default;
};

enum class WindowCounts : std::uint8_t { elapsed, waiting };
// `shared`: attempts and backoff position are those of the default rule (AWS: one limit for all).
enum class Counting : std::uint8_t { own, shared };

// A plain value.
struct Rule {
    int attempts = 4;         // the first included; 0: no limit of its own
    Duration window = never;  // since the first failure under this rule
    WindowCounts window_counts = WindowCounts::elapsed;
    Duration not_before_giving_up{};  // `attempts` cannot end it before an attempt was
                                      // started this long after the call's first one
    Backoff backoff{};
    std::optional<double> cost{};  // retry budget tokens; unset: by cause
    Hint hint{};
    Counting counting = Counting::own;

    friend bool operator==(const Rule&, const Rule&) noexcept = default;
};

struct NamedRule {
    std::string name{};
    Rule rule{};
    friend bool operator==(const NamedRule&, const NamedRule&) noexcept = default;
};

// Tokens a retry costs after this cause: AWS's 14 : 5 of 2026 divided by ten. Contention is the
// price of concurrency, not a sign of overload, and costs nothing; nor does what never left us because
// our own connections or descriptors had run out.
constexpr double default_cost(Cause cause) noexcept {
    switch (cause) {
        case Cause::throttled:
        case Cause::stale_route:
        case Cause::wrong_region:
        case Cause::clock_skew:
        case Cause::credentials: return 0.5;
        case Cause::contended:
        case Cause::exhausted: return 0;
        default: return 1.4;
    }
}

// The rule that serves a cause when the plan says nothing about it: fresh credentials help once.
constexpr int default_attempts(Cause cause, int attempts_of_default_rule) noexcept {
    return cause == Cause::credentials ? 2 : attempts_of_default_rule;
}

// Budgets count in thousandths so that sums are exact.
constexpr int milli_tokens(double tokens) noexcept { return static_cast<int>(tokens * 1000 + 0.5); }

}  // namespace v0
}  // namespace perdure
