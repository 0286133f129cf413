// SPDX-License-Identifier: Apache-2.0
//
// What would a fleet do? Runs a scenario on virtual time, with the library's own policies.
//
//     const Account account = simulate(scenario, 1);
//     const std::vector<Account> accounts = replicate(scenario, {.seeds = 20});
//
// The same scenario and seed give the same account on every platform and compiler, whichever engine
// turns it.
#pragma once

#include "perdure/cxx20.hpp"

#include <functional>

#include "perdure/sim/account.hpp"
#include "perdure/sim/scenario.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

enum class Engine : std::uint8_t {
    lanes,  // ring buffers for constant delays, a small heap for the others
    plain,  // one std::priority_queue: slower, and what the other is compared with
};

// A scenario with problems (see validate) is a broken contract.
Account simulate(const Scenario& scenario, std::uint64_t seed, Engine engine = Engine::lanes);

struct Replications {
    std::uint64_t first_seed = 1;
    int seeds = 1;
    int threads = 0;                           // 0: as many as there are cores
    std::function<void(int done)> progress{};  // called by any of them, one at a time
};

// One account per seed, in the order of the seeds, whatever the threads did.
std::vector<Account> replicate(const Scenario& scenario, const Replications& replications);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
