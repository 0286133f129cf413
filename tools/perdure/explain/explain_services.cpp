// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "explain/explain.hpp"
#include "explain/explain_http.hpp"
#include "perdure/policy/decide.hpp"
#include "perdure/time/random.hpp"

namespace tool {

namespace {

Stop first_decision(const Failure& failure, Safety safety) {
    const Rule rule{.attempts = default_attempts(failure.cause, Rule{}.attempts)};
    SeededRandom random{1};  // moves the delay, never the answer
    return decide(rule, failure, {.safety = safety, .unresolved = failure.effect}, random).stop;
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

Repeat repeat_of(const Failure& failure) {
    return {.read = first_decision(failure, Safety::read),
            .idempotent = first_decision(failure, Safety::idempotent),
            .once = first_decision(failure, Safety::once)};
}

std::span<const Service> services() {
    static const std::vector<Service> all{
#ifdef PERDURE_NETWORK
        http_service(),
#endif
    };
    return all;
}

const Service* service_named(std::string_view name) {
    const auto found = std::ranges::find(services(), name, &Service::name);
    return found == services().end() ? nullptr : &*found;
}

std::optional<ErrorRow> row_with(const Service& service, std::string_view code) {
    for (ErrorRow& row : service.rows())
        if (std::ranges::equal(row.code, code, {}, lower, lower)) return std::move(row);
    return std::nullopt;
}

std::string_view rule_of(const Failure& failure) {
    return failure.rule.empty() ? to_string(failure.cause) : failure.rule;
}

std::string_view in_short(const Repeat& repeat) {
    if (repeat.once == Stop::none) return "yes";
    return repeat.read == Stop::none ? "unless once" : "no";
}

}  // namespace tool
