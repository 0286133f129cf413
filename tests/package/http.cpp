// SPDX-License-Identifier: Apache-2.0
//
// perdure::http: a request to a closed port fails within its deadline and says why.
#include <cstdio>

#include <perdure/http/client.hpp>

using namespace perdure;

int main() {
    http::Client users{"http://127.0.0.1:1", {.plan = {.name = "users", .deadline = 1s}}};
    const auto profile = users.send(http::Request::get("/profiles/7"));
    if (profile) return std::puts("somebody listens on port 1"), 1;
    std::puts(to_string(profile.error()).c_str());
    return profile.error().cause == Cause::unavailable ? 0 : 1;
}
