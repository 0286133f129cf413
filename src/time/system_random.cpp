// SPDX-License-Identifier: Apache-2.0
//
// The only file that asks the operating system for entropy.
#include "perdure/time/random.hpp"

#include <atomic>
#include <random>
#include <utility>

#include <pthread.h>
#include <sys/random.h>

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

std::uint64_t entropy() {
    std::uint64_t word = 0;
    // Up to 256 bytes come whole or not at all, and are not interrupted.
    if (getrandom(&word, sizeof word, 0) == static_cast<ssize_t>(sizeof word)) return word;
    // Sandboxes exist that forbid the system call but allow the device.
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

[[gnu::cold, gnu::noinline]] void seed(PerThread& mine) {
    watch_for_forks();
    const unsigned now = generation.load(std::memory_order_relaxed);
    // The whole state, not one word of it: ids made in a large fleet must not meet by birthday.
    do {
        for (auto& word : mine.generator.state) word = entropy();
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

// Words of the operating system's own generator, fetched 32 at a time: ids cost a system call for each
// sixteenth. A word that was drawn is erased, and a child of fork() fetches its own.
struct Entropy {
    std::array<std::uint64_t, 32> words;
    std::size_t left;
    unsigned fetched_in;
};

constinit thread_local Entropy drawn_from{};

[[gnu::cold, gnu::noinline]] void fetch(Entropy& mine) {
    watch_for_forks();
    // If this throws, a child must not go on with the words of its parent.
    mine.left = 0;
    const unsigned now = generation.load(std::memory_order_relaxed);
    static_assert(sizeof mine.words <= 256);  // as entropy() says
    if (getrandom(mine.words.data(), sizeof mine.words, 0) !=
        static_cast<ssize_t>(sizeof mine.words))
        for (auto& word : mine.words) word = entropy();
    mine.fetched_in = now;
    mine.left = mine.words.size();
}

class UnpredictableRandom final : public Random {
public:
    std::uint64_t bits() override {
        Entropy& mine = drawn_from;
        if (mine.left == 0 || mine.fetched_in != generation.load(std::memory_order_relaxed))
            [[unlikely]]
            fetch(mine);
        return std::exchange(mine.words[--mine.left], 0);
    }
};

}  // namespace

Random& unpredictable_random() {
    static UnpredictableRandom* const only = new UnpredictableRandom;
    return *only;
}

Random& system_random() {
    // Never destroyed: work that outlives main() may still want jitter.
    static SystemRandom* const only = new SystemRandom;
    return *only;
}

}  // namespace v0
}  // namespace perdure
