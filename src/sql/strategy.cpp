// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/strategy.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// Costs nothing where no work is asked of the server: who could not connect, or was rolled back in
// favour of others, does not add to an overload that backoff does not already bound.
std::vector<NamedRule> common_rules() {
    return {
        {"lock-conflict", {.attempts = 10, .backoff = {.base = 5ms, .cap = 500ms}, .cost = 0}},
        {"few", {.attempts = 3, .backoff = {.base = 100ms, .cap = 2s}}},
        // Slow, because room takes time to make.
        {"disk-full",
         {.attempts = 5, .backoff = {.base = 2s, .cap = 2s, .jitter = Jitter::equal}, .cost = 1.4}},
        {"connection-limit",
         {.attempts = 5, .backoff = {.base = 500ms, .cap = 5s, .jitter = Jitter::equal}}},
        {"failover",
         {.attempts = 0,
          .backoff = {.base = 100ms, .cap = 2s, .jitter = Jitter::equal},
          .cost = 0}},
    };
}

// Those of SQL Server. Its service asks for five seconds at least, so the jitter only adds.
std::vector<NamedRule> azure_rules() {
    return {
        {"busy-database",
         {.attempts = 4, .backoff = {.base = 5s, .cap = 30s, .jitter = {1, 1.25}}}},
        {"in-memory-conflict", {.attempts = 10, .backoff = {.base = 1ms, .cap = 50ms}, .cost = 0}},
    };
}

bool speaks_sqlserver(Product product) {
    return product == Product::sqlserver || product == Product::odbc;
}

// MariaDB counts its waits for locks in whole seconds, and so do the drivers over ODBC that reach it.
Duration time_to_resolve(Product product) {
    return product == Product::mariadb || product == Product::odbc ? 3s : 1s;
}

bool stands_in(const std::vector<std::string>& codes, const std::string& code) {
    return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

std::string_view to_string(Product product) noexcept {
    switch (product) {
        case Product::sqlite: return "sqlite";
        case Product::postgres: return "postgres";
        case Product::mariadb: return "mariadb";
        case Product::odbc: return "odbc";
        case Product::sqlserver: return "sqlserver";
    }
    return "unknown";
}

Plan strategy(Product product) {
    Plan plan;
    plan.name = to_string(product);
    plan.rules = common_rules();
    if (speaks_sqlserver(product)) std::ranges::copy(azure_rules(), std::back_inserter(plan.rules));
    plan.resolve = {.attempts = 0,  // until the deadline
                    .backoff = {.base = 20ms, .cap = 500ms, .jitter = Jitter::equal},
                    .cost = 0};
    plan.resolve_within = time_to_resolve(product);
    return plan;
}

Plan ef_core(Product product) {
    Plan plan = plan_from(presets::ef_core(), std::string{to_string(product)});
    // EF Core has no deadline; this one has room for all of its delays, and its default timeout of a
    // command for each attempt.
    plan.deadline = 5min;
    plan.attempt_timeout = 30s;
    plan.resolve = plan.rule;
    plan.resolve_within = time_to_resolve(product);
    if (!speaks_sqlserver(product)) return plan;

    Rule thousandth = plan.rule;
    thousandth.counting = Counting::shared;
    thousandth.backoff.base /= 1000;
    thousandth.backoff.cap /= 1000;
    Rule throttled = plan.rule;
    throttled.counting = Counting::shared;
    throttled.backoff.plus = 5s;
    plan.rules = {{"in-memory-conflict", thousandth}, {"busy-database", throttled}};
    return plan;
}

Failure amended(Failure failure, const Codes& codes) {
    if (stands_in(codes.not_transient, failure.code)) failure.retry_after = never;
    else if (failure.retry_after == never && stands_in(codes.also_transient, failure.code))
        failure.retry_after.reset();
    return failure;
}

bool also_repeats(const Codes& codes, const Failure& failure) {
    return stands_in(codes.also_transient, failure.code) &&
           !stands_in(codes.not_transient, failure.code);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
