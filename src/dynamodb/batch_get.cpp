// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_get.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "batch_get_request.hpp"
#include "batch_run.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// What was read, by key. Used by the thread of its batch.
class ItemsFound {
public:
    using Found = std::optional<Item>;

    void keep(const BatchPasses& passes, BatchReport<Found>& brought) {
        for (std::size_t at = 0; at < brought.values.size(); ++at) {
            if (!brought.values[at]) continue;
            const std::size_t key = passes.key(at);
            if (items_.size() <= key) items_.resize(key + 1);
            items_[key] = std::move(brought.values[at]);
        }
    }
    [[nodiscard]] BatchReport<Found> report(const BatchKeys& keys, BatchTotals totals) && {
        BatchReport<Found> report;
        static_cast<BatchTotals&>(report) = std::move(totals);
        report.values.resize(report.items);
        for (std::size_t entry = 0; entry < report.items; ++entry) {
            const auto key = keys.key(entry);
            if (!key || *key >= items_.size()) continue;
            // Several entries may want it; the last of them may have it.
            if (keys.entry(*key) == entry) report.values[entry] = std::move(items_[*key]);
            else report.values[entry] = items_[*key];
        }
        return report;
    }

private:
    std::vector<std::optional<Found>> items_{};
};

struct BatchGetKind {
    using Input = BatchGet;
    using Batch = ReadBatch;
    using Request = BatchGetRequest;
    using Value = std::optional<Item>;
    using Found = ItemsFound;
    static constexpr std::string_view name = "BatchGetItem";
    static constexpr Safety safety = Safety::read;
    static constexpr std::size_t most_entries = 100;
    static constexpr std::size_t most_bytes = 0;  // keys are small
    static std::size_t bytes(const ReadBatch&, std::size_t) noexcept { return 0; }

    static ChunkAnswer<Value> answer_of(const Chunk& chunk, ReadAnswer said) {
        ChunkAnswer<Value> answer{chunk};
        for (std::size_t at = 0; at < chunk.size(); ++at)
            answer.done(at, std::move(said.items[at]));
        for (const std::size_t at : said.left) answer.left(at, left_over("UnprocessedKeys"));
        return answer;
    }
};

BatchGet& BatchGet::add_table(std::string name) & {
    const auto known = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& table) { return table.name == name; });
    table_ = static_cast<std::size_t>(known - tables_.begin());
    if (known == tables_.end()) tables_.push_back({.name = std::move(name)});
    return *this;
}

BatchReport<std::optional<Item>> batch_get(Client& client, const BatchGet& wanted,
                                           const CallOptions& options,
                                           const ParallelOptions& parallel) {
    return run_all<BatchGetKind>(client, wanted, options, parallel);
}

Pending<BatchReport<std::optional<Item>>>
start_batch_get(Client& client, BatchGet wanted, CallOptions options, ParallelOptions parallel) {
    return start_all<BatchGetKind>(client, std::move(wanted), std::move(options), parallel);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
