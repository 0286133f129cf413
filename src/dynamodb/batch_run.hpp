// SPDX-License-Identifier: Apache-2.0
//
// How does a batch of reads or writes run? In passes (batch_passes.hpp), each of them a batch of the
// call module; blocking and as a coroutine by the same steps.
//
//     BatchRun<ReadKind> run{client, input, options, parallel, environment};
//     while (run.goes_on()) run.take(run.send_pass());
//     return run.report();
//
// A `Kind` says what reads and writes differ in: its types (Input, Batch, Request, Value, Found), the
// operation's name and safety, what a request takes, and what an answer says about each entry.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "batch_caller.hpp"
#include "batch_keys.hpp"
#include "batch_passes.hpp"
#include "perdure/call/batch.hpp"
#include "perdure/call/batch_start.hpp"
#include "perdure/call/task.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Shares the batch, because a send that is cut off may outlive the run.
template <class Kind>
Task<Result<ChunkAnswer<typename Kind::Value>>>
send_later(Client& client, std::shared_ptr<const typename Kind::Batch> batch, Chunk chunk,
           const Attempt& attempt) {
    typename Kind::Request request{std::move(batch), chunk};
    auto call = client.start(std::move(request), inside(attempt));
    auto said = co_await call;
    if (!said) co_return said.take_failure();
    co_return Kind::answer_of(chunk, *std::move(said));
}

// Owned by one function and used by its thread. What it is given outlives it.
template <class Kind>
class BatchRun {
    using Value = typename Kind::Value;

public:
    using Report = BatchReport<Value>;

    BatchRun(Client& client, std::shared_ptr<const typename Kind::Input> input,
             const CallOptions& options, const ParallelOptions& parallel,
             const Environment& environment)
        : client_{client},
          options_{options},
          parallel_{parallel},
          batch_{std::make_shared<const typename Kind::Batch>(std::move(input),
                                                              client.caller().plan().name)},
          caller_{batch_plan(client), environment},
          operation_{batch_operation(Kind::name, Kind::safety, options, caller_)},
          passes_{batch_->keys.size(), Kind::most_entries, batch_->keys.tables().size()} {}
    BatchRun(const BatchRun&) = delete;
    BatchRun& operator=(const BatchRun&) = delete;

    // Whether there is a pass to send, the next one.
    [[nodiscard]] bool goes_on() {
        if (client_.problem()) return false;
        return !std::exchange(begun_, true) || passes_.again();
    }
    [[nodiscard]] Report send_pass() {
        const auto send = [this](const Chunk& chunk,
                                 const Attempt& attempt) -> Result<ChunkAnswer<Value>> {
            auto said =
                client_.send(typename Kind::Request{batch_, passes_.keys(chunk)}, inside(attempt));
            if (!said) return said.take_failure();
            return Kind::answer_of(chunk, *std::move(said));
        };
        return options_.within
                   ? run_batch(caller_, *options_.within, operation_, how(), passes_.size(), send)
                   : run_batch(caller_, operation_, how(), passes_.size(), send);
    }
    [[nodiscard]] Call<Report> start_pass() {
        const auto send = [this](const Chunk& chunk, const Attempt& attempt) {
            return send_later<Kind>(client_, batch_, passes_.keys(chunk), attempt);
        };
        return options_.within
                   ? start_batch(caller_, *options_.within, operation_, how(), passes_.size(), send)
                   : start_batch(caller_, operation_, how(), passes_.size(), send);
    }
    void take(Report report) {
        found_.keep(passes_, report);
        passes_.take(std::move(report));
    }
    // After the last pass.
    [[nodiscard]] Report report() {
        const BatchKeys& keys = batch_->keys;
        return std::move(found_).report(keys, client_.problem() ? keys.all_left(*client_.problem())
                                                                : keys.account(passes_.account()));
    }

private:
    struct SizeOf {
        std::size_t operator()(std::size_t at) const {
            return Kind::bytes(*run->batch_, run->passes_.key(at));
        }
        const BatchRun* run;
    };
    [[nodiscard]] BatchOptions how() const {
        return {.chunk_items = passes_.chunk_items(),
                .chunk_bytes = Kind::most_bytes,
                .size_of = size_of_,
                .parallel = parallel_,
                .throttled_in_part = leftovers_rule_name};
    }

    Client& client_;
    const CallOptions& options_;
    const ParallelOptions parallel_;
    const std::shared_ptr<const typename Kind::Batch> batch_;
    Caller caller_;
    const Operation operation_;
    BatchPasses passes_;
    typename Kind::Found found_{};
    SizeOf size_of_{this};
    bool begun_ = false;
};

template <class Kind>
BatchReport<typename Kind::Value> run_all(Client& client, const typename Kind::Input& input,
                                          const CallOptions& options,
                                          const ParallelOptions& parallel) {
    const std::shared_ptr<const typename Kind::Input> lent{std::shared_ptr<void>{}, &input};
    BatchRun<Kind> run{client, lent, options, parallel, client.caller().environment()};
    while (run.goes_on()) run.take(run.send_pass());
    return run.report();
}

template <class Kind>
Pending<BatchReport<typename Kind::Value>> start_all(Client& client, typename Kind::Input input,
                                                     CallOptions options,
                                                     ParallelOptions parallel) {
    auto owned = std::make_shared<const typename Kind::Input>(std::move(input));
    BatchRun<Kind> run{client, std::move(owned), options, parallel, reactor_environment(client)};
    while (run.goes_on()) {
        auto call = run.start_pass();
        auto report = co_await call;
        run.take(std::move(report));
    }
    co_return run.report();
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
