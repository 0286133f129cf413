// SPDX-License-Identifier: Apache-2.0
//
// An account in three regions, and what a client does when one of them is gone, slow, behind or no longer
// the one that writes. For docs/guide/cosmos.md and docs/reference/cosmos-regions.md.
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/call/poll.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::cosmos;

namespace {

const ContainerName orders{"shop", "orders"};

void print_slow(const Story& story) { std::printf("slow: %s\n", story.to_json().c_str()); }

// [options]
cosmos::ClientOptions options_for(const std::string& connection_string) {
    return {
        .connection_string = connection_string,
        .preferred = {"West Europe", "North Europe"},  // and no others
        .hedge_after = 100ms,               // then reads are asked for in a second region as well
        .regions = {.probe_every = 100ms},  // 30 s would be long for an example
        .slow = {.point = 80ms, .show = print_slow},  // 1 s by default
        .notice = [](const std::string& text) { std::puts(text.c_str()); },
    };
}
// [/options]

// [story]
Result<Item> read_and_tell(cosmos::Client& shop, const char* when) {
    Story story;
    auto got = shop.send(ReadItem{orders, "o-1", PartitionKey{"ada"}}, {.story = &story});
    std::printf("%s: read in %.1f request units\n", when, story.charge());
    for (const Leg& leg : story.legs()) {
        const std::string said = leg.code == StatusCode{} ? "no answer" : to_string(leg.code);
        std::printf("  %d %s, %s: %s\n", leg.number, std::string{to_string(leg.reason)}.c_str(),
                    leg.region.c_str(), said.c_str());
    }
    return got;
}
// [/story]

// [exclude]
// Not in West Europe, if it can be helped: only a read that would be stale elsewhere goes there.
Result<Item> read_far_away(cosmos::Client& shop, Story& story) {
    const ReadItem order{orders, "o-1", PartitionKey{"ada"}};
    return shop.send(order, {.story = &story, .excluded = {"West Europe"}});
}
// [/exclude]

// [attributes]
void print_attributes(const Story& story) {
    for (const auto& [name, value] : story.attributes())  // for a span of OpenTelemetry
        std::printf("  %s = %s\n", name.c_str(), value.c_str());
}
// [/attributes]

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

Result<void> write(cosmos::Client& shop, int cents, Story* story = nullptr) {
    const auto json = object({{"id", "o-1"}, {"customer", "ada"}, {"cents", cents}}).json();
    PERDURE_TRY(shop.send(UpsertItem{orders, json, PartitionKey{"ada"}}, {.story = story}));
    return {};
}

// Until the best region is this one again.
Result<void> wait_for(cosmos::Client& shop, const std::string& region) {
    using Seen = Result<std::optional<bool>>;
    PERDURE_TRY(poll_until(shop.caller(), {.every = 20ms}, [&]() -> Seen {
        return shop.read_regions().front() == region ? std::optional{true} : std::nullopt;
    }));
    return {};
}

Result<void> lose_a_region(cosmos::Client& shop, chaos::CosmosGateway& account) {
    PERDURE_TRY(account.set("West Europe", chaos::RegionState::refusing));
    PERDURE_TRY(read_and_tell(shop, "West Europe refuses connections"));
    PERDURE_TRY(read_and_tell(shop, "the next one knows"));
    std::printf("reads go to: %s\n", joined(shop.read_regions()).c_str());
    PERDURE_TRY(account.set("West Europe", chaos::RegionState::up));
    PERDURE_TRY(wait_for(shop, "West Europe"));
    PERDURE_TRY(read_and_tell(shop, "West Europe is back, and a probe has found it"));
    return {};
}

Result<void> hang_a_region(cosmos::Client& shop, chaos::CosmosGateway& account) {
    PERDURE_TRY(account.set("West Europe", chaos::RegionState::black_hole));
    PERDURE_TRY(read_and_tell(shop, "West Europe takes requests and never answers"));
    PERDURE_TRY(account.set("West Europe", chaos::RegionState::up));
    return {};
}

Result<void> fall_behind(cosmos::Client& shop, chaos::CosmosGateway& account) {
    PERDURE_TRY(account.replicate("North Europe", never));
    PERDURE_TRY(write(shop, 1499));
    Story story;
    PERDURE_TRY_VALUE(const auto far, read_far_away(shop, story));
    std::printf("North Europe is behind; read: %lld cents\n",
                static_cast<long long>(Document{far.json}.integer_at("/cents").value_or(0)));
    print_attributes(story);
    PERDURE_TRY(account.replicate("North Europe", 0ms));
    return Document{far.json}.integer_at("/cents") == 1499
               ? Result<void>{}
               : fail({.cause = Cause::internal, .code = "stale"});
}

Result<void> fail_over(cosmos::Client& shop, chaos::CosmosGateway& account) {
    PERDURE_TRY(account.fail_over("North Europe", chaos::FailOver::caught_up));
    Story story;
    PERDURE_TRY(write(shop, 1599, &story));
    std::printf("North Europe writes now; the write went to: %s\n",
                joined(story.regions()).c_str());
    return {};
}

Result<void> show(cosmos::Client& shop, chaos::CosmosGateway& account) {
    PERDURE_TRY(ensure_database(shop, CreateDatabase{"shop"}));
    PERDURE_TRY(ensure_container(shop, CreateContainer{orders, {"/customer"}}));
    PERDURE_TRY(write(shop, 1299));
    PERDURE_TRY(read_and_tell(shop, "all is well"));
    PERDURE_TRY(lose_a_region(shop, account));
    PERDURE_TRY(hang_a_region(shop, account));
    PERDURE_TRY(fall_behind(shop, account));
    return fail_over(shop, account);
}

}  // namespace

int main() {
    const auto account = chaos::CosmosGateway::start(
        {.regions = {{"West Europe"}, {"North Europe", 1ms}, {"East US", 1ms}}});
    if (!account) return std::puts(to_string(account.error()).c_str()), 1;
    cosmos::Client shop{options_for((*account)->connection_string())};
    if (const auto shown = show(shop, **account); !shown)
        return std::puts(to_string(shown.error()).c_str()), 1;
    return 0;
}
