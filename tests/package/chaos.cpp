// SPDX-License-Identifier: Apache-2.0
//
// perdure::chaos: a proxy that resets every second connection to a database.
#include <cstdio>

#include <perdure/chaos/proxy.hpp>

using namespace perdure;

int main() {
    const chaos::Plan plan{.rules = {{.fault = chaos::Fault::refuse, .match = {.every_nth = 2}}},
                           .protocol = chaos::Protocol::tcp};
    const auto proxy = chaos::Proxy::start(plan, {.to = "127.0.0.1:5432"});
    if (!proxy) return std::puts(to_string(proxy.error()).c_str()), 1;
    std::printf("connect to %s\n", (*proxy)->address().c_str());
    return (*proxy)->port() != 0 && (*proxy)->records().empty() ? 0 : 1;
}
