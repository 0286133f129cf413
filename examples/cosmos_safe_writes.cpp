// SPDX-License-Identifier: Apache-2.0
//
// Writes whose answers are lost: each is done, the connection is reset before anybody hears of it. For
// docs/guide/cosmos.md.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::cosmos;

namespace {

const ContainerName orders{"shop", "orders"};
const PartitionKey ada{"ada"};

// [create]
Result<void> place(cosmos::Client& shop, const std::string& order) {
    const auto made = shop.send(CreateOnce{{"shop", "orders"}, order, PartitionKey{"ada"}});
    if (made) return {};  // by this call, whether or not the first answer came through
    if (made.error().cause == Cause::conflict) std::puts("somebody else has placed it");
    return fail(made.error());
}
// [/create]

// [token]
// `token` was stored with the order, so that after a crash the same order can be placed again.
Result<void> place_after_crash(cosmos::Client& shop, const std::string& order,
                               const std::string& token) {
    PERDURE_TRY(shop.send(CreateOnce{orders, order, ada}.token(token)));
    return {};
}
// [/token]

// [versioned]
Result<void> raise_price(cosmos::Client& shop, const std::string& id, const std::string& dearer) {
    PERDURE_TRY_VALUE(const auto seen, shop.send(ReadItem{orders, id, ada}));
    const auto kept = shop.send(ReplaceVersioned{orders, id, ada, dearer, seen.etag});
    if (kept) return {};
    if (kept.error().cause == Cause::conflict && kept.error().effect == Effect::none)
        std::puts("another was faster: read again");
    return fail(kept.error());
}
// [/versioned]

// [modify]
// Adds one, exactly once, beside any number of others who do the same.
Result<void> count_visit(cosmos::Client& shop) {
    const auto one_more = [](std::string_view json) -> Result<std::string> {
        const auto visits = Document{json}.integer_at("/visits");
        if (!visits) return fail({.cause = Cause::invalid, .code = "no-visits"});
        return object({{"id", "home"}, {"customer", "ada"}, {"visits", *visits + 1}}).json();
    };
    PERDURE_TRY(modify(shop, ReadItem{orders, "home", ada}, one_more));
    return {};
}
// [/modify]

// [batch]
// Two items and a third that says who did it, all or none.
Result<void> transfer(cosmos::Client& bank, const std::string& id, const std::string& from,
                      const std::string& to) {
    const auto who = object({{"id", id}, {"customer", "ada"}}).json();
    const auto moved = bank.send(Batch{orders, ada}.upsert(from).upsert(to).marked_by(who));
    if (!moved) return fail(moved.error());
    std::puts(moved->found_out ? "done; its answer was lost" : "done");
    return {};
}
// [/batch]

// [unknown]
// Nothing tells whether this one was done, so after a lost answer it is not sent again.
std::string add_blindly(cosmos::Client& shop) {
    const auto one_more = Patch{}.increment("/visits", 1);
    const auto added = shop.send(PatchItem{orders, "blind", ada, one_more});
    if (added) return "done";
    switch (added.error().effect) {
        case Effect::none: return "not done";  // surely; it may be asked for again
        case Effect::applied: return "done";   // only its answer could not be read
        case Effect::unknown: break;
    }
    return "nobody knows";  // keep it, look later, or ask a person; do not send it again
}
// [/unknown]

// The next write is done, and its answer is not sent.
void lose_next_answer(chaos::CosmosGateway& account) {
    account.plan({{.resource = "docs",
                   .kind = chaos::RequestKind::write,
                   .to = 1,
                   .strikes = chaos::Strikes::after_applying,
                   .ending = chaos::FaultEnding::reset}});
}

Result<void> prepare(cosmos::Client& shop) {
    PERDURE_TRY(ensure_database(shop, CreateDatabase{"shop"}));
    PERDURE_TRY(ensure_container(shop, CreateContainer{orders, {"/customer"}}));
    for (const std::string id : {"home", "blind"}) {
        const auto counter = object({{"id", id}, {"customer", "ada"}, {"visits", 0}}).json();
        PERDURE_TRY(shop.send(CreateItem{orders, counter, ada}));
    }
    return {};
}

std::string order(const std::string& id, int cents) {
    return object({{"id", id}, {"customer", "ada"}, {"cents", cents}}).json();
}

Result<void> show(cosmos::Client& shop, chaos::CosmosGateway& account) {
    lose_next_answer(account);
    PERDURE_TRY(place(shop, order("o-1", 1299)));
    lose_next_answer(account);
    PERDURE_TRY(place_after_crash(shop, order("o-2", 500), "token-of-o-2"));
    PERDURE_TRY(
        place_after_crash(shop, order("o-2", 500), "token-of-o-2"));  // nothing more happens
    lose_next_answer(account);
    PERDURE_TRY(raise_price(shop, "o-1", order("o-1", 1499)));
    lose_next_answer(account);
    PERDURE_TRY(count_visit(shop));
    lose_next_answer(account);
    PERDURE_TRY(transfer(shop, "t-1", order("a-1", 60), order("a-2", 140)));
    lose_next_answer(account);
    if (add_blindly(shop) != "nobody knows")
        return fail({.cause = Cause::internal, .code = "said"});
    return {};
}

// The account keeps a record of what it did.
bool once_each(const chaos::CosmosGateway& account) {
    const auto written = [&](const std::string& id) {
        return account.writes({"shop", "orders", R"(["ada"])", id}).size();
    };
    std::printf("o-1 created and replaced: %zu writes, o-2: %zu, t-1: %zu\n", written("o-1"),
                written("o-2"), written("t-1"));
    return written("o-1") == 2 && written("o-2") == 1 && written("home") == 2 &&
           written("a-1") == 1 && written("a-2") == 1 && written("t-1") == 1 &&
           written("blind") == 2;
}

}  // namespace

int main() {
    const auto account = chaos::CosmosGateway::start();
    if (!account) return std::puts(to_string(account.error()).c_str()), 1;
    cosmos::Client shop{{.connection_string = (*account)->connection_string()}};
    if (const auto ready = prepare(shop); !ready)
        return std::puts(to_string(ready.error()).c_str()), 1;
    if (const auto shown = show(shop, **account); !shown)
        return std::puts(to_string(shown.error()).c_str()), 1;
    const bool right = once_each(**account);
    std::puts(right ? "each done once" : "something is wrong");
    return right ? 0 : 1;
}
