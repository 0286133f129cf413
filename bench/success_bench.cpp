// SPDX-License-Identifier: Apache-2.0
//
// What does a call cost that goes well at once, and what does one retry cost?
#include "cases.hpp"

#include <benchmark/benchmark.h>

#include <memory>

namespace bench {
namespace {

template <class Case>
void measure(benchmark::State& state) {
    const auto subject = std::make_unique<Case>();
    for (auto _ : state) {
        Answer result = subject->once();
        if (!result) return state.SkipWithError("a call failed");
        benchmark::DoNotOptimize(*result);
    }
    subject->expect(static_cast<std::uint64_t>(state.iterations()));
}

BENCHMARK(measure<Bare>)->Name("bare");
BENCHMARK(measure<Floor>)->Name("floor");
BENCHMARK(measure<Full>)->Name("full");
BENCHMARK(measure<FullAttempt>)->Name("full_attempt");
BENCHMARK(measure<FullDefault>)->Name("full_default");
BENCHMARK(measure<RetryOnce>)->Name("retry_once");

}  // namespace
}  // namespace bench
