// SPDX-License-Identifier: Apache-2.0
//
// Perdure as it comes: a client with the default plan, so deadline, attempt timeout, budget, session
// tokens and signature are all in use.
#include "load.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/create_item.hpp"
#include "perdure/cosmos/read_item.hpp"

namespace bench {
namespace {

using namespace perdure;

cosmos::CallOptions told_to(Told told, cosmos::Story& story) {
    cosmos::CallOptions options;
    if (told == Told::story) options.story = &story;
    return options;
}

struct Reading {
    std::string name;
    Told told;
    cosmos::ReadItem request{{"bench", "items"}, name, cosmos::PartitionKey{name}};
    cosmos::Story story{};

    auto send(cosmos::Client& client) { return client.send(request, told_to(told, story)); }
    auto start(cosmos::Client& client) { return client.start(request, told_to(told, story)); }
    void check(const Result<cosmos::Item>& answer) const {
        if (!answer) give_up(to_string(answer.error()));
        expect_item(answer->json, name);
        if (told == Told::story && story.legs().size() != 1) give_up("a story without its attempt");
    }
};

struct Creating {
    std::string before;  // of every id; ends with a letter
    std::string rest;    // of the item
    Told told;
    std::uint64_t number = 0;
    cosmos::Story story{};

    cosmos::CreateItem next() {
        const std::string id = before + std::to_string(number++);
        // One allocation: what the text takes to grow depends on the length of the id, and would count.
        std::string json;
        json.reserve(rest.size() + 2 * id.size() + 32);
        json.append(R"({"id":")")
            .append(id)
            .append(R"(","pk":")")
            .append(id)
            .append(R"(",)")
            .append(rest);
        return {{"bench", "items"}, std::move(json), cosmos::PartitionKey{id}};
    }
    auto send(cosmos::Client& client) { return client.send(next(), told_to(told, story)); }
    auto start(cosmos::Client& client) { return client.start(next(), told_to(told, story)); }
    static void check(const Result<cosmos::Written>& answer) {
        if (!answer) give_up(to_string(answer.error()));
        if (!answer->created) give_up("not the answer expected");
    }
};

struct Service {
    const Load& load;
    int workers = load.workers;
    // Nobody else's, in any run: items stay where they were made.
    std::string made = std::to_string(system_clock().wall().time_since_epoch().count());
    int runs = 0;

    [[nodiscard]] std::unique_ptr<cosmos::Client> client(net::Reactor* reactor) const {
        cosmos::ClientOptions options;
        options.endpoint = load.endpoint;
        options.key = well_known_key;
        options.discovery = cosmos::Discovery::endpoint_only;
        options.pool.max_connections = workers;
        options.environment.executor = reactor;
        if (load.told == Told::slow) options.slow.show = [](const cosmos::Story&) {};
        return std::make_unique<cosmos::Client>(std::move(options));
    }
    [[nodiscard]] std::variant<Reading, Creating> script(int worker) {
        if (load.operation == What::read) return Reading{name_of(worker), load.told};
        if (worker == 0) ++runs;
        return Creating{made + 'r' + std::to_string(runs) + 'w' + std::to_string(worker) + 'n',
                        load.item.substr(1), load.told};
    }
};

}  // namespace

std::unique_ptr<LoadClient> make_client(std::string_view way, const Load& load) {
    return make_load_client(way, Service{load});
}

}  // namespace bench
