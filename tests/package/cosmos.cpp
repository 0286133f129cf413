// SPDX-License-Identifier: Apache-2.0
//
// perdure::cosmos: a read from an account that is not there fails within its deadline.
#include <cstdio>

#include <perdure/cosmos/client.hpp>
#include <perdure/cosmos/read_item.hpp>

using namespace perdure;

int main() {
    cosmos::Client shop{{.endpoint = "http://127.0.0.1:1/",
                         .key = "bm90IGEgcmVhbCBrZXk=",
                         .plan = Plan{.name = "shop", .deadline = 1s}}};
    const auto order =
        shop.send(cosmos::ReadItem{{"shop", "orders"}, "o-1", cosmos::PartitionKey{"ada"}});
    if (order) return std::puts("somebody listens on port 1"), 1;
    std::puts(to_string(order.error()).c_str());
    return order.error().cause == Cause::unavailable ? 0 : 1;
}
