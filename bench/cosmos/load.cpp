// SPDX-License-Identifier: Apache-2.0
//
// Runs one way of calling Cosmos DB against a server that is already there and prints what it took, as
// JSON. The container bench/items holds an item for each of 64 workers; a worker that is answered with
// another one's ends the program.
//
//     perdure_cosmos_load coroutine read http://127.0.0.1:8000 16 20000 item.json
//     perdure_cosmos_load blocking read http://127.0.0.1:8000 1 20000 item.json story
//     perdure_cosmos_load http_blocking read http://127.0.0.1:8000 1 20000 item.json
#include "load.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace bench {

std::string name_of(int worker) {
    std::string name = "o-";
    name += static_cast<char>('0' + worker % 64 / 10);
    name += static_cast<char>('0' + worker % 64 % 10);
    return name;
}

void expect_item(std::string_view json, std::string_view name) {
    constexpr std::string_view before = R"("id":")";
    const auto at = json.find(before);
    if (at == std::string_view::npos || json.size() < 1024) give_up("not the item expected");
    if (json.substr(at + before.size(), name.size()) != name) give_up("the item of somebody else");
}

namespace {

std::string read_item(const char* path) {
    std::ifstream file{path};
    std::string json{std::istreambuf_iterator<char>{file}, {}};
    if (!json.starts_with('{')) give_up("the item is no object");
    return json;
}

Told told_by(std::string_view word) {
    if (word == "story") return Told::story;
    return word == "slow" ? Told::slow : Told::nobody;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
    if (count != 7 && count != 8) {
        std::fprintf(stderr,
                     "usage: perdure_cosmos_load [http_]blocking|[http_]coroutine read|create "
                     "ENDPOINT WORKERS CALLS ITEM.json [story|slow]\n");
        return 2;
    }
    std::string_view way = words[1];
    const bool plain = way.starts_with("http_");
    if (plain) way.remove_prefix(5);
    const std::string_view operation = words[2];
    const bench::Load load{.endpoint = words[3],
                           .operation =
                               operation == "create" ? bench::What::create : bench::What::read,
                           .told = bench::told_by(count == 8 ? words[7] : ""),
                           .workers = std::atoi(words[4]),
                           .item = bench::read_item(words[6])};
    const auto client = plain ? bench::make_http_client(way, load) : bench::make_client(way, load);
    bench::measure(*client,
                   {.workers = load.workers, .calls = std::strtoull(words[5], nullptr, 10)});
    return 0;
}
