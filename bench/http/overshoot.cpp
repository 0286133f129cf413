// SPDX-License-Identifier: Apache-2.0
//
// How late does a call with 300 ms come back when the network leaves it waiting? Some calls at a
// time, each on a thread of its own; prints JSON.
//
//     perdure_http_overshoot perdure_blocking dripping_body 200 20
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "suffer.hpp"

namespace bench {

Sufferer::~Sufferer() = default;

namespace {

using namespace perdure;

constexpr Duration time_given = 300ms;

struct Row {
    std::string_view name;
    std::unique_ptr<Sufferer> (*make)(const Fault&);
};

constexpr Row rows[] = {
    {"perdure_blocking", make_perdure_blocking},
    {"perdure_coroutine", make_perdure_coroutine},
#ifdef BENCH_CURL
    {"curl", make_curl},
#endif
};

struct Seen {
    std::mutex mutex{};
    std::vector<double> late_ms{};
    std::map<std::string, int> ended{};
};

void suffer(Sufferer& client, int run, Seen& seen) {
    const Ended ended = client.once(run, time_given);
    const std::lock_guard lock{seen.mutex};
    seen.late_ms.push_back(1e-6 * static_cast<double>((ended.took - time_given).count()));
    ++seen.ended[ended.how];
}

void print(Seen& seen) {
    std::sort(seen.late_ms.begin(), seen.late_ms.end());
    const auto at = [&](double share) {
        return seen.late_ms[static_cast<std::size_t>(share *
                                                     static_cast<double>(seen.late_ms.size() - 1))];
    };
    std::printf("{\"runs\": %zu, \"least_ms\": %.3f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, "
                "\"most_ms\": %.3f, "
                "\"ended\": {",
                seen.late_ms.size(), at(0), at(0.5), at(0.99), at(1));
    const char* between = "";
    for (const auto& [how, often] : seen.ended) {
        std::printf("%s\"%s\": %d", between, how.c_str(), often);
        between = ", ";
    }
    std::printf("}}\n");
}

void measure(Sufferer& client, int runs, int at_a_time) {
    Seen seen;
    for (int run = 0; run < runs;) {
        std::vector<std::jthread> threads;
        for (int i = 0; i < at_a_time && run < runs; ++i, ++run)
            threads.emplace_back([&client, run, &seen] { suffer(client, run, seen); });
    }
    print(seen);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    const std::string_view wanted = count > 1 ? words[1] : "";
    if (wanted == "faults")
        for (const std::string_view name : bench::fault_names())
            std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
    for (const auto& [name, make] : bench::rows) {
        if (wanted == "clients") std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
        if (wanted != name || count < 5) continue;
        const auto fault = bench::start_fault(words[2]);
        if (!fault) break;
        const auto client = make(*fault);
        bench::measure(*client, std::atoi(words[3]), std::atoi(words[4]));
        return 0;
    }
    if (wanted == "faults" || wanted == "clients") return 0;
    std::fprintf(
        stderr,
        "usage: perdure_http_overshoot CLIENT FAULT RUNS AT_A_TIME, or clients, or faults\n");
    return 2;
}
