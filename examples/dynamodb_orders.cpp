// SPDX-License-Identifier: Apache-2.0
//
// A table, a few orders, and everything that can be read from them. For docs/guide/dynamodb.md.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "dynamodb_local.hpp"
#include "perdure/dynamodb/any_operation.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/delete_item.hpp"
#include "perdure/dynamodb/json.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/query.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/dynamodb/wait.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::dynamodb;

namespace {

// [first]
int first_call() {
    dynamodb::Client shop;  // region, endpoint and keys as AWS's own tools find them
    const auto got = shop.send(GetItem{"orders", {{"customer", "ada"}, {"number", 1}}});
    if (!got) return std::puts(to_string(got.error()).c_str()), 1;
    if (!got->item) return std::puts("no such order"), 1;

    const auto cents = got->item->get<std::int64_t>("cents");  // Result<std::int64_t>
    return std::printf("%lld cents\n", static_cast<long long>(cents.value_or(0))), 0;
}
// [/first]

// [client]
dynamodb::Client& shop_of_process(const std::string& endpoint) {
    static dynamodb::Client shop{{
        .region = "eu-west-1",
        .endpoint = endpoint,  // "http://127.0.0.1:8000"; leave it out for AWS
        .credentials = fixed_credentials({"AKIDEXAMPLE", "secret"}),  // leave it out, too
        .plan = plan_for(Retries::perdure, "orders"),
    }};
    return shop;
}
// [/client]

// [table]
Result<void> make_table(dynamodb::Client& shop) {
    const CreateTable orders{"orders", "customer", {"number", KeyType::number}};
    PERDURE_TRY(ensure_table(shop, orders, {.within = 2min}));
    return {};
}
// [/table]

// [item]
Item make_order(std::int64_t number) {
    Item order{{"customer", "ada"},
               {"number", number},
               {"cents", 1299 * number},
               {"rate", Number::parse("0.19").value()},  // decimal, never by way of a double
               {"paid", false},
               {"tags", StringSet{"book", "gift"}},
               {"lines", List{Item{{"sku", "b7"}, {"count", 2}}}},
               {"photo", Binary{"\x01\x02"}},
               {"note", null}};
    order.set("state", "open");
    return order;
}
// [/item]

// [read-item]
Result<std::string> describe_order(const Item& order) {
    PERDURE_TRY_VALUE(const auto cents, order.get<std::int64_t>("cents"));
    PERDURE_TRY_VALUE(const auto note, order.get<std::optional<std::string>>("note"));
    PERDURE_TRY_VALUE(const auto lines, order.get<List>("lines"));
    const Item* const first = lines.empty() ? nullptr : lines.front().as<Item>();
    return std::to_string(cents) + " cents for " +
           (first ? first->get<std::string>("sku").value_or("?") : "nothing") + ", " +
           note.value_or("no note");
}
// [/read-item]

// [write]
Result<void> write_orders(dynamodb::Client& shop) {
    for (std::int64_t number = 1; number <= 30; ++number)
        PERDURE_TRY(shop.send(PutItem{"orders", make_order(number)}));

    PERDURE_TRY(shop.send(UpdateItem{"orders", {{"customer", "ada"}, {"number", 1}}}
                              .update("SET #state = :paid")
                              .name("#state", "state")  // "state" is a reserved word
                              .value(":paid", "paid")
                              .safety(Safety::idempotent)));  // twice is the same as once
    PERDURE_TRY(shop.send(DeleteItem{"orders", {{"customer", "ada"}, {"number", 30}}}));
    return {};
}
// [/write]

// [condition]
Result<void> cancel_order(dynamodb::Client& shop, const Item& key) {
    ServiceError said;
    const auto done = shop.send(UpdateItem{"orders", key}
                                    .update("SET #state = :cancelled")
                                    .condition("#state = :open")
                                    .name("#state", "state")
                                    .value(":cancelled", "cancelled")
                                    .value(":open", "open")
                                    .old_item_when_refused(),
                                {.error = &said});
    if (done) return {};
    if (done.error().cause == Cause::conflict && said.item)  // an answer, not a breakdown
        std::printf("it is %s\n", said.item->get<std::string>("state").value_or("?").c_str());
    return fail(done.error());
}
// [/condition]

// [pages]
Result<std::int64_t> sum_of(dynamodb::Client& shop, const std::string& customer) {
    std::int64_t sum = 0;
    auto found = pages(shop,
                       Query{"orders"}
                           .key("customer = :who AND #number > :after")
                           .name("#number", "number")
                           .value(":who", customer)
                           .value(":after", 10)
                           .limit(5),
                       {.deadline = Deadline::in(30s, system_clock().now())});
    for (Result<Page>& page : found) {
        if (!page) return page.take_failure();  // the last of the range
        for (const Item& order : page->items) {
            PERDURE_TRY_VALUE(const auto cents, order.get<std::int64_t>("cents"));
            sum += cents;
        }
    }
    return sum;
}
// [/pages]

// [any]
Result<std::string> time_to_live(dynamodb::Client& shop) {
    return shop.send(AnyOperation{"DescribeTimeToLive", R"({"TableName":"orders"})"});
}
// [/any]

Result<void> show(dynamodb::Client& shop) {
    PERDURE_TRY(make_table(shop));
    PERDURE_TRY(write_orders(shop));
    const Item second{{"customer", "ada"}, {"number", 2}};
    PERDURE_TRY(cancel_order(shop, second));
    if (cancel_order(shop, second)) return fail({.cause = Cause::internal, .code = "twice"});
    PERDURE_TRY_VALUE(const auto sum, sum_of(shop, "ada"));
    std::printf("%lld cents in orders 11 to 29\n", static_cast<long long>(sum));
    PERDURE_TRY_VALUE(const auto ttl, time_to_live(shop));
    std::printf("%s\n", ttl.c_str());
    PERDURE_TRY_VALUE(const auto got,
                      shop.send(GetItem{"orders", {{"customer", "ada"}, {"number", 3}}}));
    if (!got.item) return fail({.cause = Cause::not_found});
    PERDURE_TRY_VALUE(const auto line, describe_order(*got.item));
    std::printf("%s\n%s\n", line.c_str(), to_plain_json(*got.item).c_str());
    return sum == 1299 * 380 ? Result<void>{} : fail({.cause = Cause::internal, .code = "sum"});
}

}  // namespace

int main() {
    dynamodb::Client& shop = shop_of_process("http://" + local::server());
    if (const auto shown = show(shop); !shown)
        return std::puts(to_string(shown.error()).c_str()), 1;
    return first_call();
}
