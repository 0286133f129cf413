// SPDX-License-Identifier: Apache-2.0
//
// Runs one way of calling DynamoDB against a server that is already there and prints what it took, as
// JSON. The table "bench" holds an item for each of 64 workers; a worker that is answered with
// another one's ends the program.
//
//     perdure_dynamodb_load coroutine get http://127.0.0.1:8000 16 20000 item.json
#include "load.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "../allocations.hpp"
#include "perdure/dynamodb/json.hpp"

namespace bench {

void give_up(std::string_view why) {
    std::fprintf(stderr, "perdure: %.*s\n", static_cast<int>(why.size()), why.data());
    std::_Exit(1);
}

perdure::dynamodb::Item key_of(int worker) {
    std::string key = "o#";
    key += static_cast<char>('0' + worker % 64 / 10);
    key += static_cast<char>('0' + worker % 64 % 10);
    return {{"pk", std::move(key)}};
}

perdure::dynamodb::Item item_of(const Load& load, int worker) {
    perdure::dynamodb::Item item = load.item;
    item.set("pk", *key_of(worker).find("pk"));
    return item;
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

namespace {

double processor_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

perdure::dynamodb::Item read_item(const char* path) {
    std::ifstream file{path};
    const std::string json{std::istreambuf_iterator<char>{file}, {}};
    auto item = perdure::dynamodb::item_from_json(json);
    if (!item) give_up(item.error().message);
    return *std::move(item);
}

void measure(LoadClient& client, const Load& load) {
    perdure::Clock& clock = perdure::system_clock();
    // Enough that every connection exists and every pool of memory is filled.
    client.run(20 * static_cast<std::uint64_t>(load.workers));
    const std::uint64_t allocated = allocations();
    const double processor = processor_seconds();
    const perdure::TimePoint began = clock.now();
    Times times = client.run(load.calls);
    const double seconds = 1e-9 * static_cast<double>((clock.now() - began).count());
    const double used = processor_seconds() - processor;
    const auto made = static_cast<double>(allocations() - allocated);
    const auto calls = static_cast<double>(times.nanoseconds.size());
    std::printf("{\"requests\": %.0f, \"seconds\": %.6f, \"processor\": %.6f, \"p50_us\": %.1f, "
                "\"p99_us\": %.1f, \"allocations\": %.2f}\n",
                calls, seconds, used, times.quantile(0.5), times.quantile(0.99), made / calls);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    if (count != 7) {
        std::fprintf(stderr, "usage: perdure_dynamodb_load blocking|coroutine get|put ENDPOINT "
                             "WORKERS CALLS ITEM.json\n");
        return 2;
    }
    const std::string_view way = words[1], operation = words[2];
    const bench::Load load{.endpoint = words[3],
                           .operation = operation == "put" ? bench::What::put : bench::What::get,
                           .workers = std::atoi(words[4]),
                           .calls = std::strtoull(words[5], nullptr, 10),
                           .item = bench::read_item(words[6])};
    const auto client =
        way == "coroutine" ? bench::make_coroutine(load) : bench::make_blocking(load);
    bench::measure(*client, load);
    return 0;
}
