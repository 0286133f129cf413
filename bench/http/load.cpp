// SPDX-License-Identifier: Apache-2.0
//
// Runs one client against a server that is already there and prints what it took, as JSON.
//
//     perdure_http_load perdure_coroutine http://127.0.0.1:8080 32 100000 [ca.pem]
//     perdure_http_load perdure_coroutine http://127.0.0.1:8080 1000 idle [ca.pem]
#include "load.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "../allocations.hpp"

namespace bench {

std::string request_body() {
    const std::string_view end = R"("}}})";
    std::string body = R"({"TableName":"users","Key":{"id":{"S":")";
    return body.append(body_bytes - body.size() - end.size(), 'x').append(end);
}

void give_up(std::string_view client, std::string_view why) {
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(client.size()), client.data(),
                 static_cast<int>(why.size()), why.data());
    std::_Exit(1);
}

double Tally::quantile(double share) {
    if (nanoseconds_.empty()) return 0;
    const auto at =
        static_cast<std::ptrdiff_t>(share * static_cast<double>(nanoseconds_.size() - 1));
    const auto there = nanoseconds_.begin() + at;
    std::nth_element(nanoseconds_.begin(), there, nanoseconds_.end());
    return 1e-3 * static_cast<double>(*there);
}

LoadClient::~LoadClient() = default;

namespace {

struct Row {
    std::string_view name;
    MakeLoadClient make;
};

constexpr Row rows[] = {
    {"perdure_blocking", make_perdure_blocking},
    {"perdure_coroutine", make_perdure_coroutine},
    {"perdure_prewarmed", make_perdure_prewarmed},
    {"raw_poll", make_raw_poll},
#ifdef BENCH_CURL
    {"curl_easy", make_curl_easy},
    {"curl_multi", make_curl_multi},
#endif
#ifdef BENCH_HTTPLIB
    {"cpp_httplib", make_cpp_httplib},
#endif
};

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void measure(MakeLoadClient make, const Load& load) {
    const auto client = make(load);
    // Enough that every connection exists and every pool of memory is filled.
    const auto warm = 20 * static_cast<std::uint64_t>(load.connections);
    Tally warming, tally;
    warming.expect(warm);
    client->run(warm, warming);
    tally.expect(load.requests);
    const std::uint64_t allocated = allocations();
    const double processor = processor_seconds();
    const perdure::TimePoint began = tally.now();
    client->run(load.requests, tally);
    const double seconds = 1e-9 * static_cast<double>((tally.now() - began).count());
    const double used = processor_seconds() - processor;
    const auto made = static_cast<double>(allocations() - allocated);
    const auto requests = static_cast<double>(load.requests);
    std::printf("{\"requests\": %llu, \"seconds\": %.6f, \"processor\": %.6f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"allocations\": %.2f}\n",
                static_cast<unsigned long long>(load.requests), seconds, used, tally.quantile(0.5),
                tally.quantile(0.99), made / requests);
}

struct Memory {
    double resident = 0;  // bytes
    double heap = 0;      // of them, asked for and not given back
};

Memory memory() {
    long pages = 0, resident = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
        if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return {static_cast<double>(resident * sysconf(_SC_PAGESIZE)),
            static_cast<double>(mallinfo2().uordblks)};
}

void raise_limits() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

// What a connection holds on to after it was used: the difference between few and many of them, each
// used twice and now idle.
void measure_idle(MakeLoadClient make, Load load) {
    const int many = load.connections;
    const auto used_twice = [&](int connections) {
        load.connections = connections;
        auto client = make(load);
        Tally tally;
        client->run(2 * static_cast<std::uint64_t>(connections), tally);
        return client;
    };
    const auto few = used_twice(10);
    const Memory before = memory();
    const auto all = used_twice(many);
    const Memory after = memory();
    std::printf("{\"connections\": %d, \"resident\": %.0f, \"heap\": %.0f}\n", many,
                (after.resident - before.resident) / many, (after.heap - before.heap) / many);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    const std::string_view wanted = count > 1 ? words[1] : "";
    for (const auto& [name, make] : bench::rows) {
        if (wanted == "list") std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
        if (wanted != name || count < 5) continue;
        const bench::Load load{.origin = words[2],
                               .ca_file = count > 5 ? words[5] : "",
                               .connections = std::atoi(words[3]),
                               .requests = std::strtoull(words[4], nullptr, 10)};
        bench::raise_limits();
        if (words[4] == std::string_view{"idle"}) bench::measure_idle(make, load);
        else bench::measure(make, load);
        return 0;
    }
    if (wanted == "list") return 0;
    std::fprintf(
        stderr,
        "usage: perdure_http_load CLIENT ORIGIN CONNECTIONS REQUESTS|idle [CA_FILE], or list\n");
    return 2;
}
