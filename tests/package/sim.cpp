// SPDX-License-Identifier: Apache-2.0
//
// perdure::sim: ten seconds of fifty calls a second to a service that fails one attempt in ten.
#include <cstdio>

#include <perdure/sim/simulate.hpp>

using namespace perdure;

int main() {
    sim::Scenario scenario;
    scenario.clients = {.count = 5, .rate = {{0s, 50}}};
    scenario.plan = {.deadline = 2s, .rule = {.attempts = 3}};
    scenario.services = {{.workers = 4, .work = sim::Distribution::exponential(10ms)}};
    scenario.services.front().failing.share = 0.1;
    scenario.duration = 10s;

    const auto run = sim::simulate(scenario, 1);
    std::printf("%.1f %% of calls succeed, with %.2f attempts per call\n", 100 * run.success(),
                run.amplification());
    return run.success() > 0.99 && run.amplification() > 1 ? 0 : 1;
}
