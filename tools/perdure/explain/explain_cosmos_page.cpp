// SPDX-License-Identifier: Apache-2.0
#ifdef PERDURE_HAS_COSMOS

#include "explain/explain_cosmos_page.hpp"

#include <map>
#include <string_view>

#include "explain/explain_rules.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/wire/classify.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

constexpr std::string_view cosmos_beginning = R"(# Cosmos DB statuses

What an answer means, and what Perdure does with it. This page is printed by `perdure explain cosmos --markdown`
from the table that the code uses; [explain](explain.md) shows it row by row.

| column | meaning |
|---|---|
| code | `Failure::code`: the status, and behind the stroke what `x-ms-substatus` says. Without one: for every substatus that has no row |
| cause | what happened; [decide](decide.md) and the plan's [rules](#rules) go by it |
| effect | whether a write can have been applied; `none` is [a white list](#surely-not-done) |
| reads, writes | `no`: not repeated · else the plan's rule, and what is mended before the next attempt. `unknown` writes are repeated only if their [safety](../concepts/effect-and-safety.md) allows it |
| *Differs* | where Microsoft's SDKs, or its article on resilient applications, see it otherwise |

A query is a read, though it is sent by POST. Substatuses say something only together with their status: 1002, 1007 and 1008 mean
different things under 404, 403 and 410.

The table is for answers of Cosmos DB itself. One of 408, 410 and from 500 on that has none of its headers (`x-ms-activity-id`,
`x-ms-substatus`, `x-ms-gatewayversion`, `x-ms-serviceversion`) is a proxy's: of a write it leaves open what became of it.

How many regions may serve the call decides about `elsewhere`, `elsewhere-broken` and `elsewhere-other`: the next attempt goes to another region at
once, as long as there is one where the call has not been. Where there is one region only it stays there, and waits longer (`in-region`). The three
differ only in plans named after [SDKs](cosmos-plans.md), which repeat less. `session-elsewhere` ends when every region
was asked once; the session token is never dropped. What fails in a row is asked last for a while, be it a region or one partition range in it:
[regions](cosmos-regions.md#health) says what counts.

401, and 403 without a substatus, are `clock_skew` if the answer's `Date` is more than 5 minutes off our clock: signed anew with the
service's time, once. More than 24 h off, or told over plain HTTP by another machine, the date is not followed: the failure stays and
names both times. 401 is `credentials` if the token can be renewed. `x-ms-retry-after-ms` and `Retry-After` are honoured, and stay in
`Failure::retry_after`. Of a failed batch the entry that stood in its way decides.

These answers of a hedged read are as good as a success, because another region would say the same: 400, 401, 404/0, 405, 409, 412, 413.
)";

constexpr std::string_view cosmos_after_rules = R"(
These are the rules of the default plan. A rule that a row names and the plan does not have is served by the one named after its
cause, else by the last line. What the other plans do is on the page of [plans](cosmos-plans.md).
)";

constexpr std::string_view cosmos_refusals = R"(
## Surely not done

A write has effect `none` only if a source says that the service refuses it before it writes anything, whatever else is known of the code.

| answer | a write is |
|---|---|
| 410 and 503 | `none` for the substatuses below and no others |
| a status with a row for every substatus (`404/*`, or the status alone) | `none`, also for a substatus below 10000 that no row names, such as 404/7 or 429/77: it gives the service's reason for a status that is a refusal |
| the same with a substatus from 10000 on that has no row of its own | `unknown`: proxies and gateways make these on the way, and the status then proves nothing ([why](../decisions/2026-11-19-effect-none-is-a-white-list.md)) |
| a status without a row, and everything else | `unknown` |

The source is about the status where the substatus only gives a reason. It is the one for the refusal; what else is said of a code has its own in the last column of the tables.

| codes | source |
|---|---|
)";

// The codes of the rows for which a field says the same.
std::map<std::string_view, std::string> codes_by(std::string_view cosmos::StatusRow::* field) {
    std::map<std::string_view, std::string> codes;
    for (const auto& row : cosmos::status_rows()) {
        if ((row.*field).empty()) continue;
        std::string& list = codes[row.*field];
        list += (list.empty() ? "`" : ", `") + label_of(row) + "`";
    }
    return codes;
}

std::string table_by(std::string_view cosmos::StatusRow::* field) {
    std::string text;
    for (const auto& [value, list] : codes_by(field))
        text += "| " + list + " | " + std::string{value} + " |\n";
    return text;
}

}  // namespace

std::string cosmos_page() {
    const Plan plan = cosmos::plan_for();
    return std::string{cosmos_beginning} + rules_table(plan) + "\nThe deadline of a call is " +
           in_words(plan.deadline) + " unless it says otherwise; " + in_words(plan.resolve_within) +
           " of it are kept for finding out what became of a write.\n" +
           std::string{cosmos_after_rules} + std::string{cosmos_refusals} +
           table_by(&cosmos::StatusRow::refusal) +
           "\n## What to do when it stays\n\n| codes | hint |\n|---|---|\n" +
           table_by(&cosmos::StatusRow::hint);
}

}  // namespace tool

#endif
