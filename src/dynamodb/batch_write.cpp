// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_write.hpp"

#include <algorithm>
#include <utility>

#include "batch_run.hpp"
#include "batch_write_request.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A write brings nothing back.
struct NothingFound {
    void keep(const BatchPasses&, const BatchReport<>&) const noexcept {}
    [[nodiscard]] BatchReport<> report(const BatchKeys&, BatchTotals totals) && {
        BatchReport<> report;
        static_cast<BatchTotals&>(report) = std::move(totals);
        return report;
    }
};

struct BatchWriteKind {
    using Input = BatchWrite;
    using Batch = WriteBatch;
    using Request = BatchWriteRequest;
    using Value = void;
    using Found = NothingFound;
    static constexpr std::string_view name = "BatchWriteItem";
    static constexpr Safety safety = Safety::idempotent;
    static constexpr std::size_t most_entries = 25;
    // For the entries; the rest of 16 MB is for what is around them.
    static constexpr std::size_t most_bytes = (std::size_t{16} << 20u) - (std::size_t{64} << 10u);
    static std::size_t bytes(const WriteBatch& batch, std::size_t key) { return batch.bytes[key]; }

    static ChunkAnswer<> answer_of(const Chunk& chunk, const BatchWriteRequest::Answer& left) {
        ChunkAnswer<> answer{chunk};
        for (const std::size_t at : left) answer.left(at, left_over("UnprocessedItems"));
        return answer;
    }
};

BatchWrite& BatchWrite::add_table(std::string name, KeyNames key) & {
    const auto known = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& table) { return table.name == name; });
    table_ = static_cast<std::size_t>(known - tables_.begin());
    if (known == tables_.end()) tables_.push_back({std::move(name), std::move(key)});
    else known->key = std::move(key);
    return *this;
}

BatchReport<> batch_write(Client& client, const BatchWrite& writes, const CallOptions& options,
                          const ParallelOptions& parallel) {
    return run_all<BatchWriteKind>(client, writes, options, parallel);
}

Pending<BatchReport<>> start_batch_write(Client& client, BatchWrite writes, CallOptions options,
                                         ParallelOptions parallel) {
    return start_all<BatchWriteKind>(client, std::move(writes), std::move(options), parallel);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
