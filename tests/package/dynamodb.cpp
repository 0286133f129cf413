// SPDX-License-Identifier: Apache-2.0
//
// perdure::dynamodb: a read from a server that is not there fails within its deadline.
#include <cstdio>

#include <perdure/dynamodb/client.hpp>
#include <perdure/dynamodb/get_item.hpp>

using namespace perdure;

int main() {
    dynamodb::Client orders{{.region = "eu-west-1",
                             .endpoint = "http://127.0.0.1:1",
                             .credentials = dynamodb::fixed_credentials({"AKIDEXAMPLE", "secret"}),
                             .plan = Plan{.name = "orders", .deadline = 1s}}};
    const auto order = orders.send(dynamodb::GetItem{"orders", {{"pk", "o#1"}}});
    if (order) return std::puts("somebody listens on port 1"), 1;
    std::puts(to_string(order.error()).c_str());
    return order.error().cause == Cause::unavailable ? 0 : 1;
}
