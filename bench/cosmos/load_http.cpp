// SPDX-License-Identifier: Apache-2.0
//
// What is left if nobody signs, routes or remembers anything: the same words sent by a plain HTTP
// client, and the same answer read by it.
#include "load.hpp"
#include "perdure/http/client.hpp"

namespace bench {
namespace {

using namespace perdure;

http::Request reading(const std::string& name) {
    auto request = http::Request::get("/dbs/bench/colls/items/docs/" + name);
    request.header("User-Agent", "perdure");
    request.header("Accept", "application/json");
    request.header("Cache-Control", "no-cache");
    request.header("x-ms-version", "2020-07-15");
    request.header("x-ms-cosmos-sdk-supportedcapabilities", "1");
    request.header("x-ms-date", "Mon, 16 Nov 2026 12:00:00 GMT");
    request.header("authorization", "type%3Dmaster%26ver%3D1.0%26sig%3D"
                                    "VGhpc0lzTm90QVNpZ25hdHVyZU9mQW55Ym9keUF0QWxs%2B%3D");
    request.header("x-ms-activity-id", "01890a5d-ac96-774b-bcce-b302099a8057");
    request.header("x-ms-session-token", "0:1#4207#2=4190");
    request.header("x-ms-documentdb-partitionkey", "[\"" + name + "\"]");
    return request;
}

struct Reading {
    std::string name;
    http::Request request = reading(name);

    auto send(http::Client& client) const { return client.send(request); }
    auto start(http::Client& client) const { return client.start(request); }
    void check(const Result<http::Response>& answer) const {
        if (!answer) give_up(to_string(answer.error()));
        if (answer->status != 200) give_up("not the answer expected");
        expect_item(answer->body, name);
    }
};

struct Service {
    const Load& load;
    int workers = load.workers;

    [[nodiscard]] std::unique_ptr<http::Client> client(net::Reactor* reactor) const {
        http::ClientOptions options;
        options.plan.name = "bench";
        options.pool.max_connections = workers;
        options.proxy_from = http::ProxyFrom::nowhere;
        options.environment.executor = reactor;
        return std::make_unique<http::Client>(load.endpoint, std::move(options));
    }
    [[nodiscard]] static std::variant<Reading> script(int worker) {
        return Reading{name_of(worker)};
    }
};

}  // namespace

std::unique_ptr<LoadClient> make_http_client(std::string_view way, const Load& load) {
    return make_load_client(way, Service{load});
}

}  // namespace bench
