// SPDX-License-Identifier: Apache-2.0
//
// Do threads that share a budget slow each other down? One round is what one call does to its budget;
// in `budget_tenth` one call in ten is retried once and fails, so that the bucket is never full.
#include <cstdint>

#include <benchmark/benchmark.h>

#include "perdure/policy/budget.hpp"

namespace bench {
namespace {

using namespace std::chrono_literals;
using perdure::Budget;
using perdure::BudgetKind;
using perdure::TimePoint;

struct NoTraffic final : perdure::Traffic {
    std::uint64_t first_successes() const noexcept override { return 0; }
};

constexpr int cost = 1000;
constexpr auto one_call_takes = 100ns;

void succeed(Budget& budget, TimePoint now) {
    budget.on_start(now);
    budget.on_first_success(now);
    budget.on_end(now);
}

void retry(Budget& budget, TimePoint now) {
    const NoTraffic traffic;
    budget.on_start(now);
    if (budget.try_withdraw(cost, now, traffic)) budget.on_retries_over(1);
    budget.on_end(now);
}

template <BudgetKind kind, int retried_of_ten>
void calls(benchmark::State& state) {
    static const auto budget = perdure::make_budget({.kind = kind}, {});
    TimePoint now{1h};
    int number = 0;
    for (auto _ : state) {
        now += one_call_takes;
        if (number < retried_of_ten) retry(*budget, now);
        else succeed(*budget, now);
        number = number == 9 ? 0 : number + 1;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void by_threads(benchmark::internal::Benchmark* cases) {
    cases->Threads(1)->Threads(2)->Threads(8)->UseRealTime();
}

BENCHMARK(calls<BudgetKind::traffic, 0>)->Name("budget_call/traffic")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::fixed, 0>)->Name("budget_call/fixed")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::requests, 0>)->Name("budget_call/requests")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::in_flight, 0>)->Name("budget_call/in_flight")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::traffic, 1>)->Name("budget_tenth/traffic")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::fixed, 1>)->Name("budget_tenth/fixed")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::requests, 1>)->Name("budget_tenth/requests")->Apply(by_threads);
BENCHMARK(calls<BudgetKind::in_flight, 1>)->Name("budget_tenth/in_flight")->Apply(by_threads);

}  // namespace
}  // namespace bench
