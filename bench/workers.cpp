// SPDX-License-Identifier: Apache-2.0
#include "workers.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "allocations.hpp"

namespace bench {

void give_up(std::string_view why) {
    std::fprintf(stderr, "perdure: %.*s\n", static_cast<int>(why.size()), why.data());
    std::_Exit(1);
}

double Times::quantile(double share) {
    if (nanoseconds.empty()) return 0;
    const auto at =
        static_cast<std::ptrdiff_t>(share * static_cast<double>(nanoseconds.size() - 1));
    const auto there = nanoseconds.begin() + at;
    std::nth_element(nanoseconds.begin(), there, nanoseconds.end());
    return 1e-3 * static_cast<double>(*there);
}

LoadClient::~LoadClient() = default;

std::uint64_t share(std::uint64_t calls, int workers, int worker) {
    const auto all = static_cast<std::uint64_t>(workers);
    return calls / all + (static_cast<std::uint64_t>(worker) < calls % all ? 1 : 0);
}

namespace {

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

}  // namespace

void measure(LoadClient& client, const Amount& amount) {
    perdure::Clock& clock = perdure::system_clock();
    // Enough that every connection exists and every pool of memory is filled.
    client.run(20 * static_cast<std::uint64_t>(amount.workers));
    const std::uint64_t allocated = allocations();
    const double processor = processor_seconds();
    const perdure::TimePoint began = clock.now();
    Times times = client.run(amount.calls);
    const double seconds = 1e-9 * static_cast<double>((clock.now() - began).count());
    const double used = processor_seconds() - processor;
    const auto made = static_cast<double>(allocations() - allocated);
    const auto calls = static_cast<double>(times.nanoseconds.size());
    std::printf("{\"requests\": %.0f, \"seconds\": %.6f, \"processor\": %.6f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"allocations\": %.2f}\n",
                calls, seconds, used, times.quantile(0.5), times.quantile(0.99), made / calls);
}

}  // namespace bench
