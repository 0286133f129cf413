// SPDX-License-Identifier: Apache-2.0
//
// Runs one case N times and says how often memory was asked for meanwhile. Nothing here measures
// time: it is what callgrind looks at, at two lengths, so that everything but the calls cancels.
//
//     perdure_probe full 10000     → full 10000 calls, 0 allocations
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "allocations.hpp"
#include "cases.hpp"

namespace bench {
namespace {

template <class Case>
void repeat(Case& subject, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
        const Answer result = subject.once();
        if (!result) std::abort();
        asm volatile("" : : "r"(*result) : "memory");
    }
}

// The first calls make what is made once: a shard of the sketch, the breaker's first slice.
constexpr std::uint64_t warm_up = 10;

template <class Case>
std::uint64_t run(std::uint64_t times) {
    Case subject;
    repeat(subject, warm_up);
    const std::uint64_t before = allocations();
    repeat(subject, times);
    const std::uint64_t made = allocations() - before;
    subject.expect(times + warm_up);
    return made;
}

std::uint64_t run_two_threads(std::uint64_t times) {
    Full subject;
    const auto body = [&] { repeat(subject, times); };
    std::thread other{body};
    body();
    other.join();
    subject.expect(2 * times);
    return 0;
}

struct Row {
    std::string_view name;
    std::uint64_t (*run)(std::uint64_t times);
};

constexpr Row rows[] = {
    {"bare", run<Bare>},
    {"floor", run<Floor>},
    {"full", run<Full>},
    {"full_attempt", run<FullAttempt>},
    {"full_hoisted", run<FullHoisted>},
    {"full_default", run<FullDefault>},
    {"retry_once", run<RetryOnce>},
    {"two_threads", run_two_threads},
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    if (argc == 3)
        for (const auto& [name, run] : bench::rows)
            if (name == argv[1]) {
                const std::uint64_t times = std::strtoull(argv[2], nullptr, 10);
                const std::uint64_t made = run(times);
                std::printf("%s %llu calls, %llu allocations\n", argv[1],
                            static_cast<unsigned long long>(times),
                            static_cast<unsigned long long>(made));
                return 0;
            }
    std::fprintf(stderr, "usage: perdure_probe CASE N; a case is one of:");
    for (const auto& row : bench::rows) std::fprintf(stderr, " %s", row.name.data());
    std::fprintf(stderr, "\n");
    return 2;
}
