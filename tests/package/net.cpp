// SPDX-License-Identifier: Apache-2.0
//
// perdure::net: resolves a name and connects to a closed port, without blocking in a system call.
#include <cstdio>
#include <memory>
#include <utility>

#include <perdure/net/dial.hpp>
#include <perdure/net/poller.hpp>
#include <perdure/net/resolver.hpp>

using namespace perdure;

int main() {
    Clock& clock = system_clock();
    auto found = net::default_resolver().look_up_by("localhost", 1, Deadline::in(1s, clock.now()));
    if (!found) return std::puts(to_string(found.error()).c_str()), 1;

    net::Dial dial{std::make_shared<const net::Addresses>(*std::move(found)), 1};
    net::Poller poller;
    for (net::Wants wants; dial.turn(clock.now(), wants) == net::Dial::State::under_way;
         wants.clear())
        poller.wait(wants, clock.now());
    std::puts(to_string(dial.failure()).c_str());
    return dial.failure().cause == Cause::unavailable ? 0 : 1;
}
