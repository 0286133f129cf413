// SPDX-License-Identifier: Apache-2.0
#ifdef PERDURE_HAS_DYNAMODB

#include "explain/explain_dynamodb.hpp"

#include <charconv>
#include <map>
#include <utility>

#include "explain/explain_rules.hpp"
#include "perdure/dynamodb/classify.hpp"
#include "perdure/dynamodb/plans.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {
namespace dynamodb_errors {

constexpr std::string_view suffix = "Exception";

constexpr std::string_view beginning = R"(# DynamoDB errors

What an error means, and what Perdure does with it. This page is printed by `perdure explain dynamodb --markdown`
from the table that the code uses; [explain](explain.md) shows it row by row.

| column | meaning |
|---|---|
| code | `Failure::code`: what stands behind the last `#` of `__type` |
| meaning | the status it comes with |
| cause | what happened; [decide](decide.md) and the plan's [rules](#rules) go by it |
| effect | whether a write can have been applied |
| repeated | `yes`: under every [safety](../concepts/effect-and-safety.md) · `unless once`: for operations declared read, idempotent or guarded · `no` |
| remedy | what is mended before the next attempt |
| *Differs* | where the AWS SDKs, or AWS's developer guide of 2022, see it otherwise |

The code decides first, then the status. A code of throttling is throttling whatever the status; any other code behind 500, 502,
503 or 504 is transient, and the outcome of a write is open. What has no row is judged by its [status](http-statuses.md); 429 and
509 are throttled. A code is found with and without `Exception` at its end, as cancellation and statement codes have it.

A cancelled transaction is repeated only if at least one of its reasons passes by itself (`TransactionConflict`,
`ProvisionedThroughputExceeded`, `ThrottlingError`) and no other is there but `None`. `LimitExceededException` is repeated for
operations on tables only. An error of the signature or the clock is `clock_skew`, and repeated, only if the answer's `Date` is more than 4
minutes off the time it was signed with. More than 24 h off our clock, or told over plain HTTP by another machine, the date is not
followed: the failure stays and names both times. `x-amz-retry-after` (milliseconds) and `Retry-After` are honoured, up to 5 s above the own delay.
)";

constexpr std::string_view after_rules = R"(
These are the rules of the default plan. A rule that a row names and the plan does not have is served by the one named after its
cause. What the other plans do is on the page of [plans](dynamodb-plans.md).
)";

const Plan& plan() {
    static const Plan own = dynamodb::plan_for();
    return own;
}

const Rule& rule_for(const Failure& failure) {
    for (const std::string_view name : {failure.rule, to_string(failure.cause)})
        for (const NamedRule& named : plan().rules)
            if (named.name == name) return named.rule;
    return plan().rule;
}

std::string_view group_of(const dynamodb::ErrorRow& row) {
    if (row.status == 0) return "Of this side";
    if (row.cause == Cause::throttled) return "Throttling";
    if (row.status >= 500 || row.cause == Cause::timed_out) return "Of the service";
    if (row.cause == Cause::forbidden || row.cause == Cause::credentials) return "Who asks";
    return "About items, tables and requests";
}

// The other spelling, unless it is a row of its own.
std::string other_spelling(std::string_view code) {
    std::string other = code.ends_with(suffix)
                            ? std::string{code.substr(0, code.size() - suffix.size())}
                            : std::string{code} + std::string{suffix};
    const auto* const row = dynamodb::row_of(other);
    return row && row->code == other ? std::string{} : other;
}

Failure failure_of(const dynamodb::ErrorRow& row) {
    return {.cause = row.cause,
            .effect = row.effect,
            .remedies = row.remedies,
            .rule = row.rule,
            .status = row.status,
            .code = std::string{row.code}};
}

ErrorRow shown(const dynamodb::ErrorRow& row) {
    ErrorRow seen{.group = group_of(row),
                  .code = std::string{row.code},
                  .name = row.status == 0 ? "found by the client"
                                          : "HTTP " + std::to_string(row.status),
                  .failure = failure_of(row),
                  .why = row.why,
                  .source = row.source,
                  .also = other_spelling(row.code),
                  .hint = row.hint,
                  .differs = row.differs};
    if (is_repeatable(row.cause)) seen.rule = waits_of(rule_for(seen.failure));
    return seen;
}

std::vector<ErrorRow> rows() {
    std::vector<ErrorRow> all;
    for (const std::string_view group : {"Throttling", "Of the service", "Who asks",
                                         "About items, tables and requests", "Of this side"})
        for (const auto& row : dynamodb::error_rows())
            if (group_of(row) == group) all.push_back(shown(row));
    return all;
}

Otherwise otherwise(std::string_view code) {
    int status = 400;
    const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), status);
    const bool number = error == std::errc{} && end == code.data() + code.size();
    const std::string name{code};
    if (number && (status < 100 || status > 999)) return {name + " is no status of HTTP", {}, {}};
    if (number && status < 400)
        return {name + " is no failure: the answer goes to the caller", {}, {}};
    const dynamodb::ServiceError said{.code = number ? std::string{} : name};
    ErrorRow row{.group = "Without a row",
                 .code = name,
                 .name = number ? "HTTP " + name : "with HTTP 400",
                 .failure = dynamodb::classify({.status = number ? status : 400, .error = &said}),
                 .why = "What has no row of its own is judged by its status.",
                 .source = "perdure"};
    if (is_repeatable(row.failure.cause)) row.rule = waits_of(rule_for(row.failure));
    return {name + " has no row; it is judged by its status", {}, std::move(row)};
}

std::string hints() {
    std::map<std::string_view, std::string> codes;
    for (const auto& row : dynamodb::error_rows()) {
        if (row.hint.empty()) continue;
        std::string& list = codes[row.hint];
        list += (list.empty() ? "`" : ", `") + std::string{row.code} + "`";
    }
    std::string text = "\n## What to do when it stays\n\n| codes | hint |\n|---|---|\n";
    for (const auto& [hint, list] : codes) text += "| " + list + " | " + std::string{hint} + " |\n";
    return text;
}

}  // namespace dynamodb_errors
}  // namespace

Service dynamodb_service() {
    using namespace dynamodb_errors;
    static const std::string page = std::string{beginning} + rules_table(plan()) +
                                    "\nThe deadline of a call is " + in_words(plan().deadline) +
                                    " unless it says otherwise; " +
                                    in_words(plan().resolve_within) +
                                    " of it are kept for finding out what became of a write.\n" +
                                    std::string{after_rules} + hints();
    return {"dynamodb", "errors of DynamoDB, by exception name", rows, otherwise, page, {"ddb"}};
}

}  // namespace tool

#endif
