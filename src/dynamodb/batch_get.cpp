// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/batch_get.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "batch_caller.hpp"
#include "batch_get_request.hpp"
#include "batch_passes.hpp"
#include "perdure/call/batch.hpp"
#include "perdure/call/batch_start.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t most_keys = 100;

using Batch = std::shared_ptr<const ReadBatch>;
using Found = std::optional<Item>;
using Values = std::vector<std::optional<Found>>;

ChunkAnswer<Found> answer_of(const Chunk& chunk, ReadAnswer said) {
    ChunkAnswer<Found> answer{chunk};
    for (std::size_t at = 0; at < chunk.size(); ++at) answer.done(at, std::move(said.items[at]));
    for (const std::size_t at : said.left) answer.left(at, left_over("UnprocessedKeys"));
    return answer;
}

// By key from what one pass brought.
void keep(Values& values, const BatchPasses& passes, Values brought) {
    for (std::size_t at = 0; at < brought.size(); ++at)
        if (brought[at]) values[passes.key(at)] = std::move(brought[at]);
}

BatchReport<Found> report_of(const BatchKeys& keys, const BatchTotals& totals, Values of_keys) {
    BatchReport<Found> report;
    static_cast<BatchTotals&>(report) = totals;
    report.values.resize(totals.items);
    for (std::size_t entry = 0; entry < totals.items; ++entry) {
        const auto key = keys.key(entry);
        if (!key || *key >= of_keys.size()) continue;
        // Several entries may want it; the last of them may have it.
        if (keys.entry(*key) == entry) report.values[entry] = std::move(of_keys[*key]);
        else report.values[entry] = of_keys[*key];
    }
    return report;
}

Task<Result<ChunkAnswer<Found>>> send_later(Client& client, Batch batch, Chunk chunk,
                                            const Attempt& attempt) {
    BatchGetRequest request{std::move(batch), chunk};
    auto call = client.start(std::move(request), inside(attempt));
    auto said = co_await call;
    if (!said) co_return said.take_failure();
    co_return answer_of(chunk, *std::move(said));
}

}  // namespace

BatchGet& BatchGet::add_table(std::string name) & {
    const auto known = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const Table& table) { return table.name == name; });
    table_ = static_cast<std::size_t>(known - tables_.begin());
    if (known == tables_.end()) tables_.push_back({.name = std::move(name)});
    return *this;
}

BatchReport<Found> batch_get(Client& client, const BatchGet& wanted, const CallOptions& options,
                             const ParallelOptions& parallel) {
    const std::shared_ptr<const BatchGet> lent{std::shared_ptr<void>{}, &wanted};
    const auto batch = std::make_shared<const ReadBatch>(lent, client.caller().plan().name);
    const BatchKeys& keys = batch->keys;
    if (client.problem()) return report_of(keys, keys.all_left(*client.problem()), {});
    Caller caller{batch_plan(client), client.caller().environment()};
    const Operation operation = batch_operation("BatchGetItem", Safety::read, options, caller);
    BatchPasses passes{keys.size(), most_keys, keys.tables().size()};
    Values values(keys.size());
    const auto send = [&](const Chunk& chunk,
                          const Attempt& attempt) -> Result<ChunkAnswer<Found>> {
        auto said = client.send(BatchGetRequest{batch, passes.keys(chunk)}, inside(attempt));
        if (!said) return said.take_failure();
        return answer_of(chunk, *std::move(said));
    };
    do {
        const BatchOptions how{.chunk_items = passes.chunk_items(), .parallel = parallel};
        auto report = options.within
                          ? run_batch(caller, *options.within, operation, how, passes.size(), send)
                          : run_batch(caller, operation, how, passes.size(), send);
        keep(values, passes, std::move(report.values));
        passes.take(std::move(report));
    } while (passes.again());
    return report_of(keys, keys.account(passes.account()), std::move(values));
}

Pending<BatchReport<Found>> start_batch_get(Client& client, BatchGet wanted, CallOptions options,
                                            ParallelOptions parallel) {
    auto owned = std::make_shared<const BatchGet>(std::move(wanted));
    const auto batch =
        std::make_shared<const ReadBatch>(std::move(owned), client.caller().plan().name);
    const BatchKeys& keys = batch->keys;
    if (client.problem()) co_return report_of(keys, keys.all_left(*client.problem()), {});
    Caller caller{batch_plan(client), reactor_environment(client)};
    const Operation operation = batch_operation("BatchGetItem", Safety::read, options, caller);
    BatchPasses passes{keys.size(), most_keys, keys.tables().size()};
    Values values(keys.size());
    const auto send = [&client, &passes, batch](const Chunk& chunk, const Attempt& attempt) {
        return send_later(client, batch, passes.keys(chunk), attempt);
    };
    do {
        BatchOptions how{.chunk_items = passes.chunk_items(), .parallel = parallel};
        auto call = options.within
                        ? start_batch(caller, *options.within, operation, how, passes.size(), send)
                        : start_batch(caller, operation, how, passes.size(), send);
        BatchReport<Found> report = co_await call;
        keep(values, passes, std::move(report.values));
        passes.take(std::move(report));
    } while (passes.again());
    co_return report_of(keys, keys.account(passes.account()), std::move(values));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
