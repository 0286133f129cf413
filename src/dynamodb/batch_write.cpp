// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_write.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "batch_caller.hpp"
#include "batch_passes.hpp"
#include "batch_write_request.hpp"
#include "perdure/call/batch.hpp"
#include "perdure/call/batch_start.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t most_entries = 25;
// For the entries; the rest of 16 MB is for what is around them.
constexpr std::size_t most_bytes = (std::size_t{16} << 20u) - (std::size_t{64} << 10u);

using Writes = std::shared_ptr<const WriteBatch>;

ChunkAnswer<> answer_of(const Chunk& chunk, const BatchWriteRequest::Answer& left) {
    ChunkAnswer<> answer{chunk};
    for (const std::size_t at : left) answer.left(at, left_over("UnprocessedItems"));
    return answer;
}

BatchReport<> report_of(const BatchTotals& totals) {
    BatchReport<> report;
    static_cast<BatchTotals&>(report) = totals;
    return report;
}

Task<Result<ChunkAnswer<>>> send_later(Client& client, Writes batch, Chunk chunk,
                                       const Attempt& attempt) {
    BatchWriteRequest request{std::move(batch), chunk};
    auto call = client.start(std::move(request), inside(attempt));
    auto left = co_await call;
    if (!left) co_return left.take_failure();
    co_return answer_of(chunk, *left);
}

}  // namespace

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
    const std::shared_ptr<const BatchWrite> lent{std::shared_ptr<void>{}, &writes};
    const auto batch = std::make_shared<const WriteBatch>(lent, client.caller().plan().name);
    if (client.problem()) return report_of(batch->keys.all_left(*client.problem()));
    Caller caller{batch_plan(client), client.caller().environment()};
    const Operation operation =
        batch_operation("BatchWriteItem", Safety::idempotent, options, caller);
    BatchPasses passes{batch->keys.size(), most_entries, batch->keys.tables().size()};
    const auto size_of = [&](std::size_t at) { return batch->bytes[passes.key(at)]; };
    const auto send = [&](const Chunk& chunk, const Attempt& attempt) -> Result<ChunkAnswer<>> {
        auto left = client.send(BatchWriteRequest{batch, passes.keys(chunk)}, inside(attempt));
        if (!left) return left.take_failure();
        return answer_of(chunk, *left);
    };
    do {
        const BatchOptions how{.chunk_items = passes.chunk_items(),
                               .chunk_bytes = most_bytes,
                               .size_of = size_of,
                               .parallel = parallel};
        passes.take(options.within
                        ? run_batch(caller, *options.within, operation, how, passes.size(), send)
                        : run_batch(caller, operation, how, passes.size(), send));
    } while (passes.again());
    return report_of(batch->keys.account(passes.account()));
}

Pending<BatchReport<>> start_batch_write(Client& client, BatchWrite writes, CallOptions options,
                                         ParallelOptions parallel) {
    auto owned = std::make_shared<const BatchWrite>(std::move(writes));
    const auto batch =
        std::make_shared<const WriteBatch>(std::move(owned), client.caller().plan().name);
    if (client.problem()) co_return report_of(batch->keys.all_left(*client.problem()));
    Caller caller{batch_plan(client), reactor_environment(client)};
    const Operation operation =
        batch_operation("BatchWriteItem", Safety::idempotent, options, caller);
    BatchPasses passes{batch->keys.size(), most_entries, batch->keys.tables().size()};
    const auto size_of = [&](std::size_t at) { return batch->bytes[passes.key(at)]; };
    const auto send = [&client, &passes, batch](const Chunk& chunk, const Attempt& attempt) {
        return send_later(client, batch, passes.keys(chunk), attempt);
    };
    do {
        BatchOptions how{.chunk_items = passes.chunk_items(),
                         .chunk_bytes = most_bytes,
                         .size_of = size_of,
                         .parallel = parallel};
        auto call = options.within
                        ? start_batch(caller, *options.within, operation, how, passes.size(), send)
                        : start_batch(caller, operation, how, passes.size(), send);
        BatchReport<> report = co_await call;
        passes.take(std::move(report));
    } while (passes.again());
    co_return report_of(batch->keys.account(passes.account()));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
