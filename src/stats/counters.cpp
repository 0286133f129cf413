// SPDX-License-Identifier: Apache-2.0
#include "perdure/stats/counters.hpp"

namespace perdure {
inline namespace v0 {
namespace {

struct Row {
    Count count;
    std::string_view name;
    std::uint64_t CallCounts::* field;
};

constexpr std::array<Row, count_kinds> rows{{
    {Count::calls_failed, "calls_failed", &CallCounts::calls_failed},
    {Count::retries_made, "retries_made", &CallCounts::retries_made},
    {Count::retries_helped, "retries_helped", &CallCounts::retries_helped},
    {Count::retries_wasted, "retries_wasted", &CallCounts::retries_wasted},
    {Count::retries_refused, "retries_refused", &CallCounts::retries_refused},
    {Count::hedges_made, "hedges_made", &CallCounts::hedges_made},
    {Count::hedges_won, "hedges_won", &CallCounts::hedges_won},
    {Count::attempts_timed_out, "attempts_timed_out", &CallCounts::attempts_timed_out},
    {Count::resolver_asked, "resolver_asked", &CallCounts::resolver_asked},
    {Count::resolved_yes, "resolved_yes", &CallCounts::resolved_yes},
    {Count::resolved_no, "resolved_no", &CallCounts::resolved_no},
    {Count::unknown_outcomes, "unknown_outcomes", &CallCounts::unknown_outcomes},
    {Count::attempts_overran, "attempts_overran", &CallCounts::attempts_overran},
}};

constexpr bool rows_follow_the_enumeration() {
    for (std::size_t index = 0; index < rows.size(); ++index)
        if (static_cast<std::size_t>(rows[index].count) != index) return false;
    return true;
}

static_assert(rows_follow_the_enumeration());

}  // namespace

std::string_view to_string(Count count) noexcept {
    return rows[static_cast<std::size_t>(count)].name;
}

std::uint64_t CallCounts::operator[](Count count) const noexcept {
    return this->*rows[static_cast<std::size_t>(count)].field;
}

CallCounts Counters::snapshot() const noexcept {
    CallCounts counts;
    for (const Row& row : rows) counts.*row.field = (*this)[row.count];
    return counts;
}

}  // namespace v0
}  // namespace perdure
