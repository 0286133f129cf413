// SPDX-License-Identifier: Apache-2.0
//
// A container, a few orders, and everything that can be read from them, in an account that is not
// there. For docs/guide/cosmos.md.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "perdure/call/block_on.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/net/reactor.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::cosmos;

namespace {

const ContainerName orders{"shop", "orders"};

// [first]
int first_call(const std::string& connection_string) {
    cosmos::Client shop{{.connection_string = connection_string}};  // as the portal shows it
    const auto got = shop.send(ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"ada"}});
    if (!got) return std::puts(to_string(got.error()).c_str()), 1;

    const auto cents = Document{got->json}.integer_at("/cents");  // std::optional<std::int64_t>
    return std::printf("%lld cents\n", static_cast<long long>(cents.value_or(0))), 0;
}
// [/first]

// [client]
cosmos::ClientOptions shop_options(const std::string& endpoint, const std::string& key) {
    return {
        .endpoint = endpoint,  // "https://ACCOUNT.documents.azure.com:443/"
        .key = key,            // or .tokens, for Entra ID
        .preferred = {"West Europe", "North Europe"},
        .plan = plan_for(Retries::perdure, "shop"),
    };
}
// [/client]

// [container]
Result<void> make_container(cosmos::Client& shop) {
    PERDURE_TRY(ensure_database(shop, CreateDatabase{"shop"}));
    PERDURE_TRY(ensure_container(shop, CreateContainer{orders, {"/customer"}}.throughput(400)));
    return {};
}
// [/container]

// [item]
std::string make_order(const std::string& customer, int number) {
    const auto serial = Value::raw("123456789012345678901234567890");  // JSON, stays as it is
    return object({{"id", "o-" + std::to_string(number)},
                   {"customer", customer},  // escaped, whatever was typed
                   {"cents", 1299 * number},
                   {"state", "open"},
                   {"lines", array({object({{"sku", "b7"}, {"count", 2}})})},
                   {"serial", serial}})
        .json();
}

std::string describe_order(const Item& item) {
    const Document order{item.json};
    const auto cents = order.integer_at("/cents").value_or(0);
    const auto sku = order.string_at("/lines/0/sku").value_or("nothing");
    const auto serial = order.text_at("/serial").value_or("none");  // JSON text, as it came
    return std::to_string(cents) + " cents for " + sku + ", serial " + std::string{serial};
}
// [/item]

// [write]
Result<void> write_orders(cosmos::Client& shop) {
    const PartitionKey ada{"ada"};
    for (int number = 1; number <= 30; ++number)
        PERDURE_TRY(shop.send(UpsertItem{orders, make_order("ada", number), ada}.idempotent()));

    const auto paid = Patch{}.set("/state", "paid").remove("/lines/0");
    PERDURE_TRY(shop.send(PatchItem{orders, "o-1", ada, paid}));
    PERDURE_TRY(shop.send(DeleteItem{orders, "o-30", ada}.idempotent()));
    return {};
}
// [/write]

// [condition]
Result<void> cancel_order(cosmos::Client& shop, const std::string& id) {
    const auto cancelled =
        Patch{}.set("/state", "cancelled").when("from c where c.state = \"open\"");
    const auto done = shop.send(PatchItem{orders, id, PartitionKey{"ada"}, cancelled});
    if (done) return {};
    if (done.error().cause == Cause::conflict)  // 412: an answer, not a breakdown
        std::puts("it is not open any more");
    return fail(done.error());
}
// [/condition]

// [query]
Result<std::string> dearest(cosmos::Client& shop, const std::string& customer) {
    PERDURE_TRY_VALUE(
        const auto page,
        shop.send(Query{orders, "SELECT * FROM c WHERE c.cents > @least ORDER BY c.cents DESC"}
                      .with("@least", 5000)
                      .in(PartitionKey{customer})
                      .page_size(1)));
    if (page.documents.empty()) return fail({.cause = Cause::not_found, .code = "no-order"});
    return Document{page.documents.front()}.id().value_or("?");
}
// [/query]

// [pages]
Result<std::int64_t> sum_of_all(cosmos::Client& shop) {
    std::int64_t sum = 0;
    auto found = pages(shop, Query{orders, "SELECT c.cents FROM c"}.page_size(8),
                       {.deadline = Deadline::in(30s, system_clock().now())});
    for (Result<Page>& page : found) {
        if (!page) return page.take_failure();  // the last of the range
        for (const std::string& json : page->documents)
            sum += Document{json}.integer_at("/cents").value_or(0);
    }
    return sum;
}
// [/pages]

// [batch]
// One order becomes two, or stays one.
Result<double> split_order(cosmos::Client& shop, const Item& whole, const std::string& half,
                           const std::string& other_half) {
    const auto done = shop.send(Batch{orders, PartitionKey{"ada"}}
                                    .replace("o-4", half, whole.etag)  // if nobody was faster
                                    .create(other_half));
    if (done) return done->charge;
    std::puts(
        to_string(done.error()).c_str());  // "…, operation 1 of the batch: …": nothing is done
    return fail(done.error());
}
// [/batch]

// [coroutine]
Task<Result<std::int64_t>> cents_of(cosmos::Client& shop, std::string id) {
    auto call = shop.start(ReadItem{orders, std::move(id), PartitionKey{"ada"}});
    auto got = co_await call;  // two statements
    if (!got) co_return got.take_failure();
    co_return Document{got->json}.integer_at("/cents").value_or(0);
}

Task<Result<std::size_t>> count_orders(cosmos::Client& shop) {
    Pages all = pages(shop, Query{orders, "SELECT c.id FROM c"}.page_size(10));
    std::size_t count = 0;
    while (!all.ended()) {
        auto asking = all.start_next();
        auto page = co_await asking;
        if (!page) co_return page.take_failure();
        if (*page) count += (*page)->documents.size();
    }
    co_return count;
}
// [/coroutine]

// [plan]
cosmos::ClientOptions patient_options(cosmos::ClientOptions options) {
    Plan plan = plan_for(Retries::perdure, "shop");
    plan.deadline = 20s;        // of a whole call
    plan.attempt_timeout = 2s;  // of one attempt, from the moment it is connected
    options.plan = plan;
    return options;
}
// [/plan]

Result<void> show(cosmos::Client& shop) {
    PERDURE_TRY(make_container(shop));
    PERDURE_TRY(write_orders(shop));
    PERDURE_TRY(shop.send(CreateItem{orders, make_order("bob", 1), PartitionKey{"bob"}}));
    PERDURE_TRY(cancel_order(shop, "o-2"));
    if (cancel_order(shop, "o-2")) return fail({.cause = Cause::internal, .code = "twice"});
    PERDURE_TRY_VALUE(const auto best, dearest(shop, "ada"));
    std::printf("the dearest is %s\n", best.c_str());
    PERDURE_TRY_VALUE(const auto sum, sum_of_all(shop));
    std::printf("%lld cents in all\n", static_cast<long long>(sum));
    PERDURE_TRY_VALUE(const auto fourth, shop.send(ReadItem{orders, "o-4", PartitionKey{"ada"}}));
    std::puts(describe_order(fourth).c_str());
    PERDURE_TRY_VALUE(const auto charge,
                      split_order(shop, fourth, make_order("ada", 4), make_order("ada", 400)));
    std::printf("split for %.1f request units\n", charge);
    if (split_order(shop, fourth, make_order("ada", 4), make_order("ada", 401)))
        return fail({.cause = Cause::internal, .code = "split-twice"});
    return sum == std::int64_t{1299} * 436 ? Result<void>{}
                                           : fail({.cause = Cause::internal, .code = "sum"});
}

Result<void> show_coroutines(cosmos::Client& shop) {
    PERDURE_TRY_VALUE(const auto cents, block_on(net::default_reactor(), cents_of(shop, "o-3")));
    PERDURE_TRY_VALUE(const auto count, block_on(net::default_reactor(), count_orders(shop)));
    std::printf("%lld cents, %zu orders\n", static_cast<long long>(cents), count);
    return count == 31 ? Result<void>{} : fail({.cause = Cause::internal, .code = "count"});
}

Result<void> run(const chaos::CosmosGateway& gateway) {
    cosmos::Client shop{
        patient_options(shop_options(gateway.endpoint(), std::string{chaos::emulator_key}))};
    PERDURE_TRY(show(shop));
    return show_coroutines(shop);
}

}  // namespace

int main() {
    const auto gateway = chaos::CosmosGateway::start(
        {.regions = {{"West Europe"}, {"North Europe"}}, .partitions = 3});
    if (!gateway) return std::puts(to_string(gateway.error()).c_str()), 1;
    if (const auto shown = run(**gateway); !shown)
        return std::puts(to_string(shown.error()).c_str()), 1;
    return first_call((*gateway)->connection_string());
}
