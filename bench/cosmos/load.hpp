// SPDX-License-Identifier: Apache-2.0
//
// What is asked of Cosmos DB here? An item of the container bench/items is read, or another one is
// made, again and again.
//
//     const auto client = make_client("coroutine", load);
//     measure(*client, {.workers = load.workers, .calls = 20'000});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "../workers.hpp"

namespace bench {

enum class What : std::uint8_t { read, create };
// Who hears what happened in each call: nobody; a Story of the caller's; whoever is shown slow calls.
enum class Told : std::uint8_t { nobody, story, slow };

struct Load {
    std::string endpoint{};  // "http://127.0.0.1:8000"
    What operation = What::read;
    Told told = Told::nobody;
    int workers = 1;
    std::string item{};  // a JSON object without id and pk
};

// The key of the emulators that everybody knows: a secret of nobody.
inline constexpr std::string_view well_known_key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

std::string name_of(int worker);  // id and partition key: "o-07"
// Ends the program unless the text is that item.
void expect_item(std::string_view json, std::string_view name);

// "blocking": a thread for each worker; "coroutine": all of them on the one thread of a reactor.
std::unique_ptr<LoadClient> make_client(std::string_view way, const Load& load);
// What the HTTP room takes alone for a read of the same words, signed once and for all.
std::unique_ptr<LoadClient> make_http_client(std::string_view way, const Load& load);

}  // namespace bench
