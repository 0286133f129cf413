// SPDX-License-Identifier: Apache-2.0
//
// How do calls get out of the process? A journal on disk and metrics for Prometheus, side by side. For
// docs/guide/telemetry.md.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "perdure/http/client.hpp"
#include "perdure/perdure.hpp"
#include "perdure/scrape/endpoint.hpp"
#include "perdure/telemetry/journal.hpp"
#include "perdure/telemetry/metrics.hpp"
#include "perdure/telemetry/observers.hpp"

using namespace perdure;

namespace {

Result<int> busy(const Attempt& attempt) {
    if (attempt.number < 2) return fail({.cause = Cause::throttled, .status = 429});
    return 7;
}

void watched_calls(const std::string& path) {
    // [observers]
    Journal journal{{.path = path, .service_name = "shop"}};
    Metrics metrics;
    Observers both{&journal, &metrics};
    Caller users{{.name = "users", .place = "users.internal:443"}, {.observer = &both}};
    // [/observers]
    (void)users.run({.name = "load", .safety = Safety::read}, busy);

    // [describe]
    Diagnostics record;
    record.describe({.subject = "customer-17", .bytes = 912});
    (void)users.run({.name = "load", .safety = Safety::read, .diagnostics = &record}, busy);
    // [/describe]

    // [endpoint]
    auto endpoint =
        Endpoint::start({.listen = "127.0.0.1:0"}, [&metrics] { return metrics.prometheus(); });
    if (!endpoint) return (void)std::printf("%s\n", to_string(endpoint.error()).c_str());
    // [/endpoint]
    http::Client scraper{"http://127.0.0.1:" + std::to_string((*endpoint)->port())};
    const auto answer = scraper.send(http::Request::get("/metrics"));
    std::printf("%s\n", answer ? answer->body.c_str() : to_string(answer.error()).c_str());

    // [counts]
    if (const JournalCounts counts = journal.counts(); counts.dropped > 0)
        std::printf("%d lines were dropped, error %d\n", static_cast<int>(counts.dropped),
                    counts.error);
    // [/counts]
}

}  // namespace

int main() {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("perdure-example-" + new_id());
    std::filesystem::create_directory(folder);
    const std::string path = folder / "calls.jsonl";
    watched_calls(path);
    int lines = 0;
    std::ifstream file{path};
    for (std::string line; std::getline(file, line); ++lines) std::printf("%s\n", line.c_str());
    std::filesystem::remove_all(folder);
    return lines >= 4 ? 0 : 1;
}
