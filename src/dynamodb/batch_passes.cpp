// SPDX-License-Identifier: Apache-2.0
#include "batch_passes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t sample_size = 25;

}  // namespace

BatchPasses::BatchPasses(std::size_t keys, std::size_t chunk_items, std::size_t tables)
    : chunk_items_{chunk_items}, tables_{tables}, present_(keys), outcomes_(keys) {
    std::iota(present_.begin(), present_.end(), std::size_t{0});
    totals_.items = keys;
}

Chunk BatchPasses::keys(const Chunk& chunk) const {
    std::vector<std::size_t> keys;
    keys.reserve(chunk.size());
    for (const std::size_t at : chunk) keys.push_back(present_[at]);
    return Chunk{std::move(keys)};
}

void BatchPasses::take(BatchTotals totals) {
    totals_.sends += totals.sends;
    int earlier = 0;  // sends that one of these took before
    for (const std::size_t key : present_)
        if (!outcomes_[key]) earlier = std::max(earlier, outcomes_[key].error().attempts);
    totals_.rounds = std::max(totals_.rounds, earlier + totals.rounds);
    totals_.elapsed += totals.elapsed;
    std::vector<Result<void>> outcomes(present_.size());
    for (Leftover& left : totals.leftovers) outcomes[left.index] = fail(std::move(left.failure));
    for (std::size_t at = 0; at < present_.size(); ++at) {
        Result<void>& known = outcomes_[present_[at]];
        if (!known && !outcomes[at]) {
            Failure& last = outcomes[at].error();
            last.attempts += known.error().attempts;
            last.effect = join(last.effect, known.error().effect);
            last.first_cause = known.error().first_cause;
            if (totals.sends == 0)
                continue;  // nothing new was learned: the old reason is the better
        }
        known = std::move(outcomes[at]);
    }
}

// Whether it may have been about another entry of the same request. What is wrong with a table is wrong
// with all entries, if there is only one.
bool BatchPasses::may_be_a_neighbours(const Failure& failure) const noexcept {
    if (failure.stop != Stop::permanent || failure.attempts == 0 || failure.status != 400)
        return false;
    switch (failure.cause) {
        case Cause::invalid:
        case Cause::too_large:
        case Cause::conflict: return true;
        case Cause::not_found:
        case Cause::forbidden: return tables_ > 1;
        default: return false;
    }
}

bool BatchPasses::again() {
    if (pass_ == Pass::together) {
        pass_ = Pass::sample;
        chunk_items_ = 1;
        for (std::size_t key = 0; key < outcomes_.size(); ++key)
            if (!outcomes_[key] && may_be_a_neighbours(outcomes_[key].error()))
                waiting_.push_back(key);
        if (outcomes_.size() < 2) waiting_.clear();
        const auto sample =
            waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(sample_size, waiting_.size()));
        present_.assign(waiting_.begin(), sample);
        waiting_.erase(waiting_.begin(), sample);
        return !present_.empty();
    }
    if (pass_ == Pass::rest) return false;
    pass_ = Pass::rest;
    const bool useful =
        std::any_of(outcomes_.begin(), outcomes_.end(),
                    [](const Result<void>& outcome) { return outcome.has_value(); });
    present_ = std::exchange(waiting_, {});
    return useful && !present_.empty();
}

BatchTotals BatchPasses::account() const {
    BatchTotals totals = totals_;
    for (std::size_t key = 0; key < outcomes_.size(); ++key)
        if (!outcomes_[key]) totals.leftovers.push_back({key, outcomes_[key].error()});
    totals.done = totals.items - totals.leftovers.size();
    return totals;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
