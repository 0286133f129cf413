// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/simulate.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "perdure/time/start_thread.hpp"
#include "world.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

Account simulate(const Scenario& scenario, std::uint64_t seed, Engine engine) {
    if (engine == Engine::plain) return World<PlainAgenda>{scenario, seed}.run();
    return World<LaneAgenda>{scenario, seed}.run();
}

std::vector<Account> replicate(const Scenario& scenario, const Replications& replications) {
    std::vector<Account> accounts(static_cast<std::size_t>(std::max(replications.seeds, 0)));
    std::atomic<std::size_t> next{0};
    std::mutex telling;
    int done = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < accounts.size(); i = next++) {
            accounts[i] = simulate(scenario, replications.first_seed + i);
            const std::lock_guard held{telling};
            ++done;
            if (replications.progress) replications.progress(done);
        }
    };
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int threads = replications.threads > 0 ? replications.threads : cores;
    {
        std::vector<std::jthread> others;
        // As many as the system gives: the result is the same.
        for (int i = 1; i < threads; ++i) {
            auto started = start_thread(work);
            if (!started) break;
            others.push_back(*std::move(started));
        }
        work();
    }
    return accounts;
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
