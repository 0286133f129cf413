// SPDX-License-Identifier: Apache-2.0
//
// perdure::scrape: an endpoint from which Prometheus reads metrics.
#include <cstdio>

#include <perdure/scrape/endpoint.hpp>
#include <perdure/telemetry/metrics.hpp>

using namespace perdure;

int main() {
    Metrics metrics;
    const auto endpoint =
        Endpoint::start({.listen = "127.0.0.1:0"}, [&metrics] { return metrics.prometheus(); });
    if (!endpoint) return std::puts(to_string(endpoint.error()).c_str()), 1;
    std::printf("metrics at %s\n", (*endpoint)->url().c_str());
    return (*endpoint)->port() != 0 ? 0 : 1;
}
