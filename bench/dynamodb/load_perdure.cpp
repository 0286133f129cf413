// SPDX-License-Identifier: Apache-2.0
//
// Perdure as it comes: a client with the default plan, so deadline, attempt timeout, budget, checksum
// and signature are all in use.
#include "load.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/put_item.hpp"

namespace bench {
namespace {

using namespace perdure;

// Whose answer is it?
void check(const Result<dynamodb::Got>& answer, const dynamodb::Item& key) {
    if (!answer) give_up(to_string(answer.error()));
    if (!answer->item || answer->item->size() != 10) give_up("not the item expected");
    if (*answer->item->find("pk") != *key.find("pk")) give_up("the item of somebody else");
}
void check(const Result<dynamodb::Written>& answer, const dynamodb::Item&) {
    if (!answer) give_up(to_string(answer.error()));
}

// What one worker sends, and how it looks at the answers.
template <class Request>
struct Script {
    Request request;
    dynamodb::Item key;

    auto send(dynamodb::Client& client) const { return client.send(request); }
    auto start(dynamodb::Client& client) const { return client.start(request); }
    void check(const auto& answer) const { bench::check(answer, key); }
};
using Getting = Script<dynamodb::GetItem>;
using Putting = Script<dynamodb::PutItem>;

struct Service {
    const Load& load;
    int workers = load.workers;

    [[nodiscard]] std::unique_ptr<dynamodb::Client> client(net::Reactor* reactor) const {
        dynamodb::ClientOptions options;
        options.region = "us-east-1";
        options.endpoint = load.endpoint;
        options.credentials = dynamodb::fixed_credentials({"AKIDEXAMPLEEXAMPLE00", "not-a-secret"});
        options.pool.max_connections = workers;
        options.environment.executor = reactor;
        return std::make_unique<dynamodb::Client>(std::move(options));
    }
    [[nodiscard]] std::variant<Getting, Putting> script(int worker) const {
        dynamodb::Item key = key_of(worker);
        if (load.operation == What::get)
            return Getting{dynamodb::GetItem{std::string{table}, key}, std::move(key)};
        return Putting{dynamodb::PutItem{std::string{table}, item_of(load, worker)},
                       std::move(key)};
    }
};

}  // namespace

std::unique_ptr<LoadClient> make_client(std::string_view way, const Load& load) {
    return make_load_client(way, Service{load});
}

}  // namespace bench
