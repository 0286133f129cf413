// SPDX-License-Identifier: Apache-2.0
//
// Runs one case N times and says how often memory was asked for meanwhile. Nothing here measures
// time: it is what callgrind looks at, at two lengths, so that everything but the calls cancels.
//
//     perdure_probe full 10000     → full 10000 calls, 0 allocations
#include "cases.hpp"
#include "repeat.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace bench {
namespace {

// Both on one caller: no sample may be lost. Allocations are not looked at, a thread makes its own.
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
    const char* name;
    std::uint64_t (*run)(std::uint64_t times);
};

constexpr Row rows[] = {
    {"bare", run<Bare>},
    {"floor", run<Floor>},
    {"full", run<Full>},
    {"full_attempt", run<FullAttempt>},
    {"full_default", run<FullDefault>},
    {"retry_once", run<RetryOnce>},
    {"coroutine", run_coroutine},
    {"coroutine_waits", run_coroutine_waits},
    {"two_threads", run_two_threads},
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    for (const auto& [name, run] : bench::rows) {
        if (wanted == "list") std::printf("%s\n", name);
        if (wanted != name || argc != 3) continue;
        const std::uint64_t times = std::strtoull(argv[2], nullptr, 10);
        const std::uint64_t made = run(times);
        std::printf("%s %llu calls, %llu allocations\n", name,
                    static_cast<unsigned long long>(times), static_cast<unsigned long long>(made));
        return 0;
    }
    if (wanted == "list") return 0;
    std::fprintf(stderr, "usage: perdure_probe CASE N, or perdure_probe list\n");
    return 2;
}
