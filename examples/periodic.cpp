// SPDX-License-Identifier: Apache-2.0
//
// When does the nightly job run on this host? At its own place in the hour, always the same. For
// docs/guide/periodic-work.md.
#include <cstdio>
#include <string>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

int main() {
    testing::VirtualClock clock;
    for (const std::string host : {"web-1", "web-2", "web-3"}) {
        // [schedule]
        const Schedule purge{.period = 1h, .offset = stable_offset(host, "purge", 1h)};
        const WallTime next = purge.next_after(clock.wall());
        // [/schedule]
        const auto wait = std::chrono::duration_cast<std::chrono::seconds>(next - clock.wall());
        std::printf("%s purges in %d s\n", host.c_str(), static_cast<int>(wait.count()));
        if (purge.next_after(next) - next != 1h) return 1;
    }
}
