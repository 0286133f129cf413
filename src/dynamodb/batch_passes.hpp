// SPDX-License-Identifier: Apache-2.0
//
// In what company is a key sent? First with others, in full requests. DynamoDB refuses a whole request
// for one bad entry, so those of a refused request are then sent each on its own.
//
//     BatchPasses passes{keys, 25, tables};
//     do passes.take(run_batch(…, passes.size(), …));
//     while (passes.again());
//
// That is no repeating of the same: each of these requests is a new one, and goes out once. The first
// 25 show whether it is of use; where nothing at all is taken the rest stays unsent.
#pragma once

#include <cstddef>
#include <vector>

#include "perdure/call/batch_chunk.hpp"
#include "perdure/call/batch_report.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Owned by one batch; changed between passes only, so sends may read it.
class BatchPasses {
public:
    BatchPasses(std::size_t keys, std::size_t chunk_items, std::size_t tables);

    // Of the present pass.
    [[nodiscard]] std::size_t size() const noexcept { return present_.size(); }
    [[nodiscard]] std::size_t chunk_items() const noexcept { return chunk_items_; }
    // Numbers of the pass are numbers of keys here.
    [[nodiscard]] std::size_t key(std::size_t at) const noexcept { return present_[at]; }
    [[nodiscard]] Chunk keys(const Chunk& chunk) const;

    void take(BatchTotals totals);
    // Whether there is a further one, which is then the present one.
    [[nodiscard]] bool again();

    // By key, after the last pass.
    [[nodiscard]] BatchTotals account() const;

private:
    enum class Pass : std::uint8_t { together, sample, rest };

    [[nodiscard]] bool may_be_a_neighbours(const Failure& failure) const noexcept;

    std::size_t chunk_items_;
    const std::size_t tables_;
    Pass pass_ = Pass::together;
    std::vector<std::size_t> present_{};
    std::vector<std::size_t> waiting_{};    // for the pass after the sample
    std::vector<Result<void>> outcomes_{};  // by key
    BatchTotals totals_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
