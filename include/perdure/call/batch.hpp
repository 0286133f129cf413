// SPDX-License-Identifier: Apache-2.0
//
// How do I send many items through a service that takes them in chunks, and takes some and leaves
// others? Cut, sent side by side, leftovers sent again, and an account of every item at the end.
//
//     const BatchReport<> report = run_batch(orders, {.name = "put", .safety = Safety::idempotent},
//                                            {.chunk_items = 25}, puts.size(), send);
//     if (!report.complete()) …                       // report.leftovers: which, and why
//
// `send` is Result<ChunkAnswer<T>>(const Chunk&, const Attempt&), see batch_chunk.hpp; the values come
// back in the order of the items. It is called from up to `parallel.most` threads at once, the calling
// thread being one of them; further ones are made when there is more than one chunk. On a clock for
// one thread (VirtualClock) say `.parallel = {.most = 1}`. An exception of `send` ends the batch and
// passes through. Without threads: batch_start.hpp.
//
// A batch is one call: the plan's deadline and the operation's are the batch's. Each chunk pays its
// retries from the caller's budget, except those after progress. `Operation::diagnostics` is for
// single calls and stays empty; copies of slow requests (`Plan::hedge`) are not made.
#pragma once

#include <cstddef>
#include <utility>

#include "perdure/call/batch_progress.hpp"
#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

using SendChunk = FunctionRef<Result<ChunkMarks>(const Chunk&, const Attempt&)>;

// The blocking driver, without the type of the values.
BatchTotals drive_batch(Caller& caller, const Attempt* parent, const Operation& operation,
                        const BatchOptions& options, std::size_t items, SendChunk send);

template <class R>
inline constexpr bool is_chunk_answer = false;
template <class T>
inline constexpr bool is_chunk_answer<Result<ChunkAnswer<T>>> = true;

template <class Send>
using send_result = std::remove_cvref_t<std::invoke_result_t<Send&, const Chunk&, const Attempt&>>;

// Values go to their places; no two sends hold the same item.
template <class T>
void keep_values(BatchReport<T>& report, const Chunk& chunk, ChunkAnswer<T>& answer) {
    if constexpr (!std::is_void_v<T>)
        for (std::size_t at = 0; at < chunk.size() && at < answer.values().size(); ++at)
            if (answer.values()[at]) report.values[chunk[at]] = std::move(answer.values()[at]);
}

template <class Send>
auto run_batch(Caller& caller, const Attempt* parent, const Operation& operation,
               const BatchOptions& options, std::size_t items, Send& send) {
    using T = typename send_result<Send>::value_type::value_type;
    BatchReport<T> report;
    if constexpr (!std::is_void_v<T>) report.values.resize(items);
    const auto send_chunk = [&](const Chunk& chunk, const Attempt& attempt) -> Result<ChunkMarks> {
        auto answer = send(chunk, attempt);
        if (!answer) return answer.take_failure();
        keep_values<T>(report, chunk, *answer);
        return answer->take_marks();
    };
    static_cast<BatchTotals&>(report) =
        drive_batch(caller, parent, operation, options, items, send_chunk);
    return report;
}

}  // namespace detail

template <class Send>
concept SendsChunks = detail::is_chunk_answer<detail::send_result<Send>>;

// Gives BatchReport<T>. Options or a plan that cannot be used leave every item, each with the reason.
template <SendsChunks Send>
auto run_batch(Caller& caller, const Operation& operation, const BatchOptions& options,
               std::size_t items, Send&& send) {
    return detail::run_batch(caller, nullptr, operation, options, items, send);
}
// Inside an attempt of another call: each chunk is sent once, see Caller::run.
template <SendsChunks Send>
auto run_batch(Caller& caller, const Attempt& parent, const Operation& operation,
               const BatchOptions& options, std::size_t items, Send&& send) {
    return detail::run_batch(caller, &parent, operation, options, items, send);
}

}  // namespace v0
}  // namespace perdure
