// SPDX-License-Identifier: Apache-2.0
//
// The only file that asks the operating system for entropy.
#include "perdure/time/random.hpp"

#include <atomic>
#include <random>

#include <pthread.h>
#include <sys/random.h>

#include "system_entropy.hpp"

namespace perdure {
inline namespace v0 {
namespace {

// Raised in every child of fork(). A generator seeded under an older number belongs to the parent.
constinit std::atomic<unsigned> generation{1};

struct PerThread {
    Xoshiro generator;
    unsigned seeded_in = 0;
};

// Trivially destructible, so that destructors of other thread-locals may still draw.
constinit thread_local PerThread per_thread;

void watch_for_forks() {
    static const int registered = pthread_atfork(
        nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
    static_cast<void>(
        registered);  // fails only without memory; then a child repeats, nothing breaks
}

[[gnu::cold, gnu::noinline]] void seed(PerThread& mine) {
    watch_for_forks();
    const unsigned now = generation.load(std::memory_order_relaxed);
    // The whole state, not one word of it: ids made in a large fleet must not meet by birthday.
    do {
        for (auto& word : mine.generator.state) word = system_entropy();
    } while (mine.generator.state == std::array<std::uint64_t, 4>{});
    mine.seeded_in = now;
}

class SystemRandom final : public Random {
public:
    std::uint64_t bits() override {
        PerThread& mine = per_thread;
        if (mine.seeded_in != generation.load(std::memory_order_relaxed)) [[unlikely]]
            seed(mine);
        return mine.generator();
    }
};

}  // namespace

std::uint64_t system_entropy() {
    std::uint64_t word = 0;
    // Up to 256 bytes come whole or not at all, and are not interrupted.
    if (getrandom(&word, sizeof word, 0) == static_cast<ssize_t>(sizeof word)) return word;
    // Sandboxes exist that forbid the system call but allow the device.
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

Random& system_random() {
    // Never destroyed: work that outlives main() may still want jitter.
    static SystemRandom* const only = new SystemRandom;
    return *only;
}

}  // namespace v0
}  // namespace perdure
