// SPDX-License-Identifier: Apache-2.0
//
// What is asked of DynamoDB here? An item of the table "bench" is read or written, again and again.
//
//     const auto client = make_client("coroutine", load);
//     measure(*client, {.workers = load.workers, .calls = 20'000});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "../workers.hpp"
#include "perdure/dynamodb/item.hpp"

namespace bench {

enum class What : std::uint8_t { get, put };

struct Load {
    std::string endpoint{};  // "http://127.0.0.1:8000"
    What operation = What::get;
    int workers = 1;
    perdure::dynamodb::Item item{};
};

inline constexpr std::string_view table = "bench";
perdure::dynamodb::Item key_of(int worker);
perdure::dynamodb::Item item_of(const Load& load, int worker);

// "blocking": a thread for each worker; "coroutine": all of them on the one thread of a reactor.
std::unique_ptr<LoadClient> make_client(std::string_view way, const Load& load);

}  // namespace bench
