// SPDX-License-Identifier: Apache-2.0
//
// Do threads that share one caller hold each other up? That no sample is lost between them is seen
// by perdure_probe two_threads.
#include "cases.hpp"

#include <benchmark/benchmark.h>

namespace bench {
namespace {

void shared(benchmark::State& state) {
    static Full subject;
    for (auto _ : state) {
        Answer result = subject.once();
        if (!result) return state.SkipWithError("a call failed");
        benchmark::DoNotOptimize(*result);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK(shared)->Name("shared")->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace bench
