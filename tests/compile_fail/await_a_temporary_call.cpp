// SPDX-License-Identifier: Apache-2.0
//
// expect: GCC 12 destroys temporaries of a co_await twice: write
// only: gcc < 13
// run: one statement frees the copies of its arguments once where it compiles
#include <memory>
#include <string>

#include "perdure/call/block_on.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;

Task<Result<int>> load(Caller& users, std::shared_ptr<std::string> id) {
#ifdef TRAP
    co_return co_await start(users, {.name = "load"}, [id](const Attempt&) -> Task<Result<int>> {
        co_return static_cast<int>(id->size());
    });
#else
    auto call = start(users, {.name = "load"}, [id](const Attempt&) -> Task<Result<int>> {
        co_return static_cast<int>(id->size());
    });
    co_return co_await call;
#endif
}

int main() {
    const auto id = std::make_shared<std::string>("longer than a small string keeps in itself");
    Loop loop;
    Caller users{{.name = "users"}, {.executor = &loop}};
    const auto length = block_on(loop, load(users, id));
    return length && *length == 42 && id.use_count() == 1 ? 0 : 1;
}
