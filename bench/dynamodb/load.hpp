// SPDX-License-Identifier: Apache-2.0
//
// What does every way of calling do here? The same call, again and again, over connections that stay
// open.
//
//     const auto client = make_coroutine(load);
//     Times times = client->run(load.calls);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/dynamodb/item.hpp"
#include "perdure/time/clock.hpp"

namespace bench {

enum class What : std::uint8_t { get, put };

struct Load {
    std::string endpoint{};  // "http://127.0.0.1:8000"
    What operation = What::get;
    int workers = 1;
    std::uint64_t calls = 1000;
    perdure::dynamodb::Item item{};
};

inline constexpr std::string_view table = "bench";
perdure::dynamodb::Item key_of(int worker);
perdure::dynamodb::Item item_of(const Load& load, int worker);

// Ends the program: a benchmark of failures says nothing.
[[noreturn]] void give_up(std::string_view why);

// How long each call took. Used by one thread.
struct Times {
    std::vector<std::int64_t> nanoseconds{};
    // Microseconds; sorts.
    [[nodiscard]] double quantile(double share);
};

// The first run also connects. Used by one thread.
class LoadClient {
public:
    LoadClient() = default;
    LoadClient(const LoadClient&) = delete;
    LoadClient& operator=(const LoadClient&) = delete;
    virtual ~LoadClient();
    virtual Times run(std::uint64_t calls) = 0;
};

// A thread for each worker, all of them with one client.
std::unique_ptr<LoadClient> make_blocking(const Load& load);
// A coroutine for each worker, all of them on the one thread of a reactor.
std::unique_ptr<LoadClient> make_coroutine(const Load& load);

}  // namespace bench
