// SPDX-License-Identifier: Apache-2.0
//
// Thirty orders into a table that does not get to all of them at once, and back again. For
// docs/guide/dynamodb-batches.md.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loopback.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/batch_write.hpp"
#include "perdure/net/reactor.hpp"

using namespace perdure;
using dynamodb::BatchGet;
using dynamodb::BatchWrite;
using dynamodb::Item;

namespace {

// [write]
BatchReport<> write_orders(dynamodb::Client& client, std::vector<Item> orders) {
    BatchWrite writes{"orders", {"pk"}};  // the table, and what makes up its key
    for (Item& order : orders) writes.put(std::move(order));
    writes.remove({{"pk", "draft"}});

    BatchReport<> report = batch_write(client, writes);
    for (const auto& [index, failure] : report.leftovers) {
        const Item& order = writes.entries()[index].item;
        std::printf("%s: %s\n",
                    order.get<std::string>("pk").value_or("an order without a key").c_str(),
                    failure.code.c_str());
    }
    return report;
}
// [/write]

// [read]
int sum_of(dynamodb::Client& client, const std::vector<std::string>& ids) {
    BatchGet wanted{"orders"};
    for (const std::string& id : ids) wanted.key({{"pk", id}});
    const auto report = batch_get(client, wanted.projection("#total").name("#total", "total"));

    int sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!report.values[i]) std::printf("%s: nobody knows\n", ids[i].c_str());
        else if (!*report.values[i]) std::printf("%s: no such order\n", ids[i].c_str());
        else sum += (*report.values[i])->get<int>("total").value_or(0);
    }
    return sum;
}
// [/read]

// [coroutine]
Task<bool> write_later(dynamodb::Client& client, BatchWrite writes) {
    auto batch = start_batch_write(client, std::move(writes));
    const BatchReport<> report = co_await batch;  // two statements, as for every call
    co_return report.complete();
}
// [/coroutine]

// Stands for DynamoDB: does not get to o#3 at first, and knows three orders.
std::unique_ptr<chaos::Proxy> start_service() {
    chaos::Rule busy = loopback::answer(
        200, R"({"UnprocessedItems":{"orders":[{"PutRequest":{"Item":{"pk":{"S":"o#3"}}}}]}})");
    busy.match = {.body = R"({"S":"o#3"})", .to = 1};
    chaos::Rule found =
        loopback::answer(200, R"({"Responses":{"orders":[{"total":{"N":"300"},"pk":{"S":"o#3"}},)"
                              R"({"total":{"N":"100"},"pk":{"S":"o#1"}}]}})");
    found.match.header = "x-amz-target: DynamoDB_20120810.BatchGetItem";
    return loopback::server({busy, found, loopback::answer(200, "{}")});
}

std::vector<Item> make_orders(int count) {
    std::vector<Item> orders;
    for (int i = 1; i <= count; ++i)
        orders.push_back({{"pk", "o#" + std::to_string(i)}, {"total", 100 * i}});
    return orders;
}

}  // namespace

int main() {
    const auto service = start_service();
    dynamodb::Client client{
        {.region = "eu-west-1",
         .endpoint = loopback::url_of(*service),
         .credentials = dynamodb::fixed_credentials({"AKIDEXAMPLE", "secret"})}};

    const BatchReport<> report = write_orders(client, make_orders(30));
    std::printf("%zu of %zu done in %llu requests\n", report.done, report.items,
                static_cast<unsigned long long>(report.sends));
    const int sum = sum_of(client, {"o#1", "o#2", "o#3", "o#1"});
    std::printf("together %d\n", sum);
    BatchWrite more{"orders", {"pk"}};
    more.put({{"pk", "o#31"}});
    const bool all = block_on(net::default_reactor(), write_later(client, std::move(more)));
    return report.complete() && report.sends == 3 && sum == 500 && all ? 0 : 1;
}
