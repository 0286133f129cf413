// SPDX-License-Identifier: Apache-2.0
#ifdef PERDURE_HAS_COSMOS

#include "explain/explain_cosmos.hpp"

#include <array>
#include <utility>

#include "explain/explain_cosmos_page.hpp"
#include "explain/explain_rules.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/wire/classify.hpp"
#include "perdure/http/classify.hpp"

namespace tool {

namespace {
namespace cosmos_errors {

using cosmos::Again;
using cosmos::Asked;
using cosmos::Does;
using cosmos::Reaction;
using cosmos::StatusCode;
using cosmos::StatusRow;

constexpr std::array<std::string_view, 5> groups = {"Load", "The wrong place", "Of the service",
                                                    "Who asks, and what", "Without an answer"};

const Rule& rule_for(const Failure& failure) {
    static const Plan plan = cosmos::plan_for();
    for (const std::string_view name : {failure.rule, to_string(failure.cause)})
        for (const NamedRule& named : plan.rules)
            if (named.name == name) return named.rule;
    return plan.rule;
}

std::string_view group_of(const StatusRow& row) {
    switch (row.cause) {
        case Cause::throttled:
        case Cause::contended: return groups[0];
        case Cause::stale_route:
        case Cause::wrong_region: return groups[1];
        case Cause::unavailable:
        case Cause::timed_out:
        case Cause::internal: return groups[2];
        case Cause::invalid: return row.read.again == Again::yes ? groups[1] : groups[3];
        default: return groups[3];
    }
}

std::string in_words(const Reaction& reaction) {
    if (reaction.again == Again::no) return "no";
    const std::string remedies = to_string(reaction.remedies);
    std::string text{reaction.rule};
    if (!remedies.empty()) text += ": " + remedies;
    return text;
}

std::string in_words(const Reaction& usual, const Reaction& several) {
    std::string text = in_words(usual);
    if (several != usual) text += "; with several write regions " + in_words(several);
    return text;
}

// As the classifier would judge it for an account of several regions, one of which takes writes; where
// only several write regions make it repeat, for such an account.
Failure failure_of(const StatusRow& row, const Reaction& usual, const Reaction& several,
                   Effect effect) {
    const Reaction& reaction = usual.again == Again::yes ? usual : several;
    const bool repeated = reaction.again == Again::yes;
    Failure failure{.cause = repeated && !is_repeatable(row.cause) ? Cause::stale_route : row.cause,
                    .effect = effect,
                    .remedies = reaction.remedies,
                    .rule = reaction.rule,
                    .status = row.code.status(),
                    .code = label_of(row)};
    if (!repeated && is_repeatable(row.cause)) failure.retry_after = never;
    return failure;
}

std::string other_name(const StatusRow& row) {
    constexpr int of_clients = 20'000;  // numbers that stand for themselves
    if (row.code == row.last && row.code.substatus() == 0) return std::to_string(row.code.status());
    // The same numbers under 410 are what the 503 was made of.
    const bool its_own = row.code.substatus() >= of_clients && row.code.status() != 410;
    return its_own ? std::to_string(row.code.substatus()) : std::string{};
}

// `code`: one of those that the row serves.
ErrorRow shown(const StatusRow& row, StatusCode code) {
    ErrorRow seen{.group = group_of(row),
                  .code = label_of(row),
                  .name = std::string{row.name},
                  .failure =
                      failure_of(row, row.write, row.multi_write, effect_on_write(row, code)),
                  .why = row.why,
                  .source = row.source,
                  .also = other_name(row),
                  .hint = row.hint,
                  .differs = row.differs,
                  .as_read = failure_of(row, row.read, row.multi_read, Effect::none),
                  .reads = in_words(row.read, row.multi_read),
                  .writes = in_words(row.write, row.multi_write)};
    const bool by_writes = row.write.again == Again::yes || row.multi_write.again == Again::yes;
    if (by_writes || row.read.again == Again::yes)
        seen.rule = waits_of(rule_for(by_writes ? seen.failure : *seen.as_read));
    return seen;
}

std::string in_words(const Failure& failure) {
    return in_words({Again::yes, failure.rule, failure.remedies});
}

ErrorRow shown(const http::StatusRow& row) {
    const Failure lost = http::trouble(row.code, row.effect);
    constexpr Asked read{.does = Does::read, .regions = 2};
    constexpr Asked write{.does = Does::write, .regions = 2};
    constexpr Asked several{.does = Does::write, .regions = 2, .multi_write = true};
    ErrorRow seen{.group = groups[4],
                  .code = std::string{row.code},
                  .name = std::string{row.name},
                  .failure = cosmos::without_answer(lost, write),
                  .why = row.why,
                  .source = row.source,
                  .as_read = cosmos::without_answer(lost, read)};
    const Failure elsewhere = cosmos::without_answer(lost, several);
    seen.reads = in_words(*seen.as_read);
    seen.writes = in_words(seen.failure);
    if (elsewhere.remedies != seen.failure.remedies)
        seen.writes += "; with several write regions " + in_words(elsewhere);
    seen.rule = waits_of(rule_for(seen.failure));
    return seen;
}

bool is_lost(const http::StatusRow& row) {
    return is_repeatable(row.cause) && row.cause != Cause::exhausted;
}

std::vector<ErrorRow> rows() {
    std::vector<ErrorRow> all;
    for (const std::string_view group : groups)
        for (const StatusRow& row : cosmos::status_rows())
            if (group_of(row) == group) all.push_back(shown(row, row.code));
    for (const http::StatusRow& row : http::trouble_rows())
        if (is_lost(row)) all.push_back(shown(row));
    return all;
}

// A pair that a row serves on purpose: one of its range, or without a substatus.
std::optional<ErrorRow> find(std::string_view code) {
    const auto pair = cosmos::parse_status_code(code);
    const StatusRow* const row = pair ? cosmos::row_of(*pair) : nullptr;
    if (!row) return std::nullopt;
    const bool rest = row->last.substatus() == cosmos::largest_substatus;
    if (rest && pair->substatus() != 0) return std::nullopt;
    return shown(*row, *pair);
}

Otherwise otherwise(std::string_view code) {
    const std::string name{code};
    const auto pair = cosmos::parse_status_code(code);
    if (!pair) return {name + " is neither a status nor a word of this table", {}, {}};
    if (pair->status() < 400)
        return {name + " is no failure: the answer goes to the caller", {}, {}};
    if (const StatusRow* const row = cosmos::row_of(*pair)) {
        std::string label = label_of(*row);
        return {name + " has no row; it is taken as " + label, label, shown(*row, *pair)};
    }
    ErrorRow row{.group = "Without a row",
                 .code = name,
                 .name = "HTTP " + std::to_string(pair->status()),
                 .failure = cosmos::classify({.status = pair->status()}),
                 .why = "What has no row of its own is judged by its status.",
                 .source = "perdure"};
    if (is_repeatable(row.failure.cause)) row.rule = waits_of(rule_for(row.failure));
    return {name + " has no row; it is judged by its status", {}, std::move(row)};
}

}  // namespace cosmos_errors
}  // namespace

Service cosmos_service() {
    static const std::string page = cosmos_page();
    return {"cosmos",
            "answers of Cosmos DB, by status and substatus",
            cosmos_errors::rows,
            cosmos_errors::otherwise,
            page,
            {"cosmosdb"},
            cosmos_errors::find};
}

}  // namespace tool

#endif
