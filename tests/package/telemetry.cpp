// SPDX-License-Identifier: Apache-2.0
//
// perdure::telemetry: one call, counted in the text format of Prometheus.
#include <cstdio>
#include <string>

#include <perdure/call/caller.hpp>
#include <perdure/telemetry/metrics.hpp>

using namespace perdure;

int main() {
    Metrics metrics;
    Caller users{{.name = "users"}, {.observer = &metrics}};
    const auto answer = users.run({.name = "load-profile", .safety = Safety::read},
                                  []() -> Result<int> { return 42; });
    const std::string text = metrics.prometheus();
    std::printf("%s", text.substr(0, text.find('\n') + 1).c_str());
    return answer && text.find("load-profile") != std::string::npos ? 0 : 1;
}
