// SPDX-License-Identifier: Apache-2.0
//
// perdure::core: a call whose first attempt fails and whose second one succeeds.
#include <cstdio>
#include <string>

#include <perdure/perdure.hpp>

using namespace perdure;

int main() {
    Caller users{{.name = "users", .deadline = 1s, .rule = {.backoff = {.base = 1ms}}}};
    int attempts = 0;
    const auto load = [&attempts]() -> Result<std::string> {
        if (++attempts == 1) return fail({.cause = Cause::unavailable});
        return "Ada";
    };
    const auto name = users.run({.name = "load-profile", .safety = Safety::read}, load);
    if (!name) return std::puts(to_string(name.error()).c_str()), 1;
    std::printf("%s, after %d attempts\n", name->c_str(), attempts);
    return attempts == 2 ? 0 : 1;
}
