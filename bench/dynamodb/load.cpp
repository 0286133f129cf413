// SPDX-License-Identifier: Apache-2.0
//
// Runs one way of calling DynamoDB against a server that is already there and prints what it took, as
// JSON. The table "bench" holds an item for each of 64 workers; a worker that is answered with
// another one's ends the program.
//
//     perdure_dynamodb_load coroutine get http://127.0.0.1:8000 16 20000 item.json
#include "load.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "perdure/dynamodb/json.hpp"

namespace bench {

perdure::dynamodb::Item key_of(int worker) {
    std::string key = "o#";
    key += static_cast<char>('0' + worker % 64 / 10);
    key += static_cast<char>('0' + worker % 64 % 10);
    return {{"pk", std::move(key)}};
}

perdure::dynamodb::Item item_of(const Load& load, int worker) {
    perdure::dynamodb::Item item = load.item;
    item.set("pk", *key_of(worker).find("pk"));
    return item;
}

namespace {

perdure::dynamodb::Item read_item(const char* path) {
    std::ifstream file{path};
    const std::string json{std::istreambuf_iterator<char>{file}, {}};
    auto item = perdure::dynamodb::item_from_json(json);
    if (!item) give_up(item.error().message);
    return *std::move(item);
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    if (count != 7) {
        std::fprintf(stderr, "usage: perdure_dynamodb_load blocking|coroutine get|put ENDPOINT "
                             "WORKERS CALLS ITEM.json\n");
        return 2;
    }
    const std::string_view way = words[1], operation = words[2];
    const bench::Load load{.endpoint = words[3],
                           .operation = operation == "put" ? bench::What::put : bench::What::get,
                           .workers = std::atoi(words[4]),
                           .item = bench::read_item(words[6])};
    bench::measure(*bench::make_client(way, load),
                   {.workers = load.workers, .calls = std::strtoull(words[5], nullptr, 10)});
    return 0;
}
