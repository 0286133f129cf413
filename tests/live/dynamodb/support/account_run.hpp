// SPDX-License-Identifier: Apache-2.0
//
// Many writes at once through a proxy that loses answers and throttles, and the books of what their
// callers were told.
//
//     struct DynamoAccount : AccountRun {};
//     begin(stubborn_plan());
//     write_all(books, counting());
//     expect_the_truth(books, stubborn);
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/dynamodb/support/books.hpp"
#include "live/dynamodb/support/fault_rules.hpp"
#include "live/dynamodb/support/local_client.hpp"
#include "live/dynamodb/support/patience.hpp"
#include "live/support/crowd.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/dynamodb/counted.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::live {

inline const std::string stubborn = "10 attempts, no budget";
inline const std::string defaults = "defaults";

// PERDURE_WRITES, else 2,000.
int writes();

template <class Make>
Task<> keep_writing(dynamodb::Client* client, Books* books, int* next, Make make) {
    while (*next < books->writes()) {
        const int number = (*next)++;
        auto request = make(books->id(number));
        auto call = client->start(std::move(request));
        const auto result = co_await call;
        books->note(number, result);
    }
}

struct AccountRun : ::testing::Test {
    void SetUp() override;

    // A proxy before `to`, else before the server, and a client before the proxy.
    void begin(std::optional<Plan> plan, const std::string& to = {},
               const std::vector<chaos::Rule>& rules = losing_answers());

    // 64 at a time.
    template <class Make>
    void write_all(Books& books, Make make) {
        int next = 0;
        std::vector<Task<>> tasks;
        for (int i = 0; i < 64; ++i) tasks.push_back(keep_writing(&*client, &books, &next, make));
        run_all(net::default_reactor(), std::move(tasks));
        took = system_clock().now() - began;
    }

    // No caller was told anything but the truth. Prints the books.
    void expect_the_truth(Books& books, const std::string& plan);
    // A row for the evidence page, into the file that $PERDURE_ACCOUNT_ROWS names.
    void write_row(const Books& books, const std::string& plan) const;

    static auto counting() {
        return [](std::string id) {
            return dynamodb::Counted{"orders", {{"pk", std::move(id)}}, "n"};
        };
    }
    static auto creating() {
        return [](std::string id) {
            return dynamodb::CreateOnce{"orders", {{"pk", std::move(id)}, {"n", 1}}, {"pk"}};
        };
    }
    static dynamodb::UpdateItem add_one(std::string id) {
        return dynamodb::UpdateItem{"orders", {{"pk", std::move(id)}}}
            .update("ADD n :one")
            .value(":one", 1);
    }

    std::optional<DynamoServer> server;
    std::unique_ptr<chaos::Proxy> proxy;
    std::optional<dynamodb::Client> client;
    TimePoint began{};
    Duration took{};
};

}  // namespace perdure::live
