// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "explain/explain.hpp"
#include "explain/explain_cosmos.hpp"
#include "explain/explain_dynamodb.hpp"
#include "explain/explain_http.hpp"
#include "explain/explain_sql.hpp"
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

Repeat repeat_of(const ErrorRow& row) {
    Repeat repeat = repeat_of(row.failure);
    if (row.as_read) repeat.read = first_decision(*row.as_read, Safety::read);
    return repeat;
}

std::span<const Service> services() {
    static const std::vector<Service> all = [] {
        std::vector<Service> known;
#ifdef PERDURE_HAS_HTTP
        known.push_back(http_service());
#endif
#ifdef PERDURE_HAS_SQL
        std::ranges::move(sql_services(), std::back_inserter(known));
#endif
#ifdef PERDURE_HAS_DYNAMODB
        known.push_back(dynamodb_service());
#endif
#ifdef PERDURE_HAS_COSMOS
        known.push_back(cosmos_service());
#endif
        return known;
    }();
    return all;
}

const Service* service_named(std::string_view name) {
    const auto found = std::ranges::find_if(services(), [&](const Service& service) {
        return service.name == name ||
               std::ranges::find(service.aliases, name) != service.aliases.end();
    });
    return found == services().end() ? nullptr : &*found;
}

std::optional<ErrorRow> row_with(const Service& service, std::string_view code) {
    const auto is_it = [&](std::string_view name) {
        return std::ranges::equal(name, code, {}, lower, lower);
    };
    if (code.empty()) return std::nullopt;
    for (ErrorRow& row : service.rows())
        if (is_it(row.code) || is_it(row.also)) return std::move(row);
    return service.find ? service.find(code) : std::nullopt;
}

std::vector<FoundRow> rows_with(std::string_view code) {
    std::vector<FoundRow> found;
    for (const Service& service : services())
        if (auto row = row_with(service, code)) found.push_back({&service, *std::move(row)});
    return found;
}

std::vector<FoundRow> rows_about(const Service& service, std::string_view word) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::size_t shortest = 3;
    std::vector<FoundRow> found;
    if (word.size() < shortest || word.find_first_of(digits) != std::string_view::npos)
        return found;
    const auto has_it = [&](std::string_view text) {
        // Not std::ranges::search: clang 14 does not compile it with libstdc++ 12.
        return std::search(text.begin(), text.end(), word.begin(), word.end(),
                           [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
    };
    for (ErrorRow& row : service.rows())
        if (has_it(row.name) || has_it(row.why)) found.push_back({&service, std::move(row)});
    return found;
}

std::string_view rule_of(const Failure& failure) {
    return failure.rule.empty() ? to_string(failure.cause) : failure.rule;
}

std::string_view in_short(const Repeat& repeat) {
    if (repeat.once == Stop::none) return "yes";
    return repeat.read == Stop::none ? "unless once" : "no";
}

}  // namespace tool
