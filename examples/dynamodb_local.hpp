// SPDX-License-Identifier: Apache-2.0
//
// What do the DynamoDB examples talk to? A server on this machine, never AWS itself.
//
//     examples/with_dynoxide.py build/npm build/dev/bin/example_dynamodb_orders
//
// Or one of yours: set AWS_ENDPOINT_URL_DYNAMODB to its address on 127.0.0.1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/chaos/proxy.hpp"
#include "perdure/dynamodb/settings.hpp"

namespace local {

// "127.0.0.1:8000". Without a server there is nothing to show: ctest counts 77 as skipped.
inline std::string server() {
    const auto found =
        perdure::dynamodb::settings_from(perdure::dynamodb::Surroundings::of_process());
    const std::string url = found ? found->endpoint_url.value_or("") : "";
    const std::string here = "http://127.0.0.1:";
    if (!url.starts_with(here)) {
        std::puts("SKIPPED: no server; try examples/with_dynoxide.py build/npm <this program>");
        std::exit(77);  // NOLINT(concurrency-mt-unsafe)
    }
    return url.substr(std::string{"http://"}.size());
}

// Loses the answer to the first request of each of these operations, after the server has acted.
inline perdure::chaos::Plan losing_plan(const std::vector<std::string>& operations) {
    perdure::chaos::Plan plan;
    for (const std::string& operation : operations)
        plan.rules.push_back(
            {.fault = perdure::chaos::Fault::reset_after,
             .match = {.header = "x-amz-target: DynamoDB_20120810." + operation, .to = 1}});
    return plan;
}
inline std::unique_ptr<perdure::chaos::Proxy> losing(const std::vector<std::string>& operations) {
    return perdure::chaos::Proxy::start(losing_plan(operations), {.to = server()}).value();
}

inline std::string url_of(const perdure::chaos::Proxy& proxy) {
    return "http://" + proxy.address();
}

}  // namespace local
