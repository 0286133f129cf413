// SPDX-License-Identifier: Apache-2.0
//
// run: work that throws before it returns its Task leaks neither its call nor its captures
#include <memory>
#include <stdexcept>

#include "perdure/call/block_on.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;

int main() {
    const auto held = std::make_shared<int>(1);
    Loop loop;
    Caller users{{.name = "users"}, {.executor = &loop}};
    // No coroutine: the exception comes out of the call operator itself.
    const auto broken = [held](const Attempt&) -> Task<Result<int>> {
        throw std::runtime_error{"no such id"};
    };
    const long copies = held.use_count();
    bool thrown = false;
    try {
        (void)block_on(loop, start(users, {.name = "load"}, broken));
    } catch (const std::runtime_error&) {
        thrown = true;
    }
    return thrown && held.use_count() == copies ? 0 : 1;
}
