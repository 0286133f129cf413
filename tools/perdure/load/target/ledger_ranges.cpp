// SPDX-License-Identifier: Apache-2.0
#include "load/target/ledger_ranges.hpp"

#include <algorithm>

namespace tool::load {

using namespace perdure;

namespace {

Failure damaged(const Range& before, const Range& after) {
    return {.cause = Cause::corrupt,
            .effect = Effect::none,
            .retry_after = never,
            .code = "ledger-damaged",
            .message = "the ledger has two ranges that overlap, to " + std::to_string(before.end) +
                       " and from " + std::to_string(after.begin) +
                       ": it cannot be told what was loaded"};
}

Failure gap_between(const Range& before, const Range& after) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "ledger-gap",
            .message = "the ledger has a gap from " + std::to_string(before.end) + " to " +
                       std::to_string(after.begin) + ", so these ranges cannot be one"};
}

}  // namespace

Failure taken(const Range& range) {
    return {.cause = Cause::conflict,
            .code = "taken",
            .message = "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                       " of this input are in the ledger already: another load of it is at work"};
}

Failure not_held() {
    return {.cause = Cause::conflict,
            .code = "taken",
            .message = "another load of this input has been started and goes on with it"};
}

Failure raced() {
    return {.cause = Cause::contended,
            .effect = Effect::none,
            .code = "raced",
            .message = "other loads of this input are started again and again"};
}

Result<void> check_apart(std::span<const Range> ranges) {
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i].begin < ranges[i - 1].end) return fail(damaged(ranges[i - 1], ranges[i]));
    return {};
}

Result<Range> joined(std::span<const Range> ranges) {
    Range sum = ranges.front();
    for (const Range& range : ranges.subspan(1)) {
        if (range.begin != sum.end) return fail(gap_between(sum, range));
        sum.end = range.end;
        sum.digest_high = range.digest_high;
        sum.digest_low = range.digest_low;
        for (const auto field : {&Range::reached, &Range::written_at, &Range::version})
            sum.*field = std::max(sum.*field, range.*field);
        for (const auto field :
             {&Range::lines, &Range::records, &Range::written, &Range::present, &Range::rejected})
            sum.*field += range.*field;
    }
    return sum;
}

}  // namespace tool::load
