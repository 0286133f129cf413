// SPDX-License-Identifier: Apache-2.0
//
// Writes whose answers are lost: each is done, the connection is reset before anybody hears of it. For
// docs/guide/dynamodb.md.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "dynamodb_local.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/counted.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/dynamodb/versioned.hpp"
#include "perdure/dynamodb/wait.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::dynamodb;

namespace {

// [create]
Result<void> place(dynamodb::Client& shop, Item order) {
    const auto made = shop.send(CreateOnce{"orders", std::move(order), {"pk"}});
    if (made) return {};  // by this call, whether or not the first answer came through
    if (made.error().cause == Cause::conflict) std::puts("somebody else has placed it");
    return fail(made.error());
}
// [/create]

// [counted]
// Adds one, exactly once.
int count_visit(dynamodb::Client& shop) {
    const auto visits = shop.send(Counted{"visits", {{"pk", "home"}}, "n"});
    if (visits) return std::printf("visit %s\n", visits->value.text().c_str()), 0;
    std::puts(to_string(visits.error()).c_str());  // "…, effect none, …": surely not counted
    return 1;
}
// [/counted]

// [versioned]
Result<void> raise_price(dynamodb::Client& shop, const Item& key, std::int64_t cents) {
    for (int round = 0; round < 5; ++round) {
        PERDURE_TRY_VALUE(auto got, shop.send(GetItem{"orders", key}.consistent()));
        if (!got.item) return fail({.cause = Cause::not_found, .code = "no-such-order"});
        PERDURE_TRY_VALUE(const auto seen, got.item->get<std::int64_t>("version"));
        got.item->set("cents", cents);
        const auto kept = shop.send(Versioned{"orders", *std::move(got.item), {"pk"}, seen});
        if (kept) return {};
        if (kept.error().cause != Cause::conflict || kept.error().effect != Effect::none)
            return fail(kept.error());
        // Another was faster: read again.
    }
    return fail({.cause = Cause::contended, .code = "too-many-writers"});
}
// [/versioned]

// [landed]
// Takes one from the stock. The order's own number, left in the item, is the proof.
Result<void> reserve(dynamodb::Client& shop, const std::string& order) {
    const auto taken = [order](const std::optional<Item>& now) {
        const Value* const takers = now ? now->find("takers") : nullptr;
        const StringSet* const orders = takers ? takers->as<StringSet>() : nullptr;
        return orders && orders->has(order) ? Verdict::yes : Verdict::no;
    };
    PERDURE_TRY(shop.send(UpdateItem{"orders", {{"pk", "stock"}}}
                              .update("ADD pieces :less, takers :me")
                              .condition("pieces > :none AND NOT contains(takers, :order)")
                              .value(":less", -1)
                              .value(":me", StringSet{order})
                              .value(":none", 0)
                              .value(":order", order)
                              .landed(taken)));
    return {};
}
// [/landed]

// [unknown]
// Nothing tells whether this one was done, so after a lost answer it is not sent again.
std::string add_blindly(dynamodb::Client& shop) {
    const auto added =
        shop.send(UpdateItem{"visits", {{"pk", "blind"}}}.update("ADD n :one").value(":one", 1));
    if (added) return "done";
    switch (added.error().effect) {
        case Effect::none: return "not done";  // surely; it may be asked for again
        case Effect::applied: return "done";   // only its answer could not be read
        case Effect::unknown: break;
    }
    return "nobody knows";  // keep it, look later, or ask a person; do not send it again
}
// [/unknown]

Result<void> prepare(dynamodb::Client& shop) {
    PERDURE_TRY(ensure_table(shop, CreateTable{"orders", "pk"}));
    PERDURE_TRY(ensure_table(shop, CreateTable{"visits", "pk"}));
    PERDURE_TRY(shop.send(
        PutItem{"orders", {{"pk", "stock"}, {"pieces", 3}, {"takers", StringSet{"o#0"}}}}));
    return {};
}

Result<void> show(dynamodb::Client& shop, chaos::Proxy& network) {
    const auto lose = [&](const char* operation) {
        return network.change(local::losing_plan({operation}));
    };
    PERDURE_TRY(lose("PutItem"));
    PERDURE_TRY(place(shop, {{"pk", "o#1"}, {"cents", 1299}}));
    PERDURE_TRY(shop.send(PutItem{"orders", {{"pk", "o#2"}, {"version", 1}}}));
    PERDURE_TRY(lose("PutItem"));
    PERDURE_TRY(raise_price(shop, {{"pk", "o#2"}}, 999));
    PERDURE_TRY(lose("UpdateItem"));
    PERDURE_TRY(reserve(shop, "o#1"));
    PERDURE_TRY(lose("UpdateItem"));
    if (count_visit(shop) != 0) return fail({.cause = Cause::internal, .code = "not-counted"});
    PERDURE_TRY(lose("UpdateItem"));
    if (add_blindly(shop) != "nobody knows")
        return fail({.cause = Cause::internal, .code = "said"});
    return {};
}

Result<bool> is_right(dynamodb::Client& shop) {
    PERDURE_TRY_VALUE(const auto price, shop.send(GetItem{"orders", {{"pk", "o#2"}}}));
    PERDURE_TRY_VALUE(const auto stock, shop.send(GetItem{"orders", {{"pk", "stock"}}}));
    PERDURE_TRY_VALUE(const auto visits, shop.send(GetItem{"visits", {{"pk", "home"}}}));
    if (!price.item || !stock.item || !visits.item) return false;
    return price.item->get<int>("version").value_or(0) == 2 &&
           stock.item->get<int>("pieces").value_or(0) == 2 &&
           visits.item->get<int>("n").value_or(0) == 1;
}

}  // namespace

int main() {
    const auto network = local::losing({});
    dynamodb::Client shop{{.endpoint = local::url_of(*network)}};
    if (const auto ready = prepare(shop); !ready)
        return std::puts(to_string(ready.error()).c_str()), 1;
    if (const auto shown = show(shop, *network); !shown)
        return std::puts(to_string(shown.error()).c_str()), 1;
    const auto right = is_right(shop);
    std::puts(right && *right ? "each done once" : "something is wrong");
    return right && *right ? 0 : 1;
}
