// SPDX-License-Identifier: Apache-2.0
//
// What does a client of Cosmos DB do when an account misbehaves? Scenes, played on fake gateways.
//
//     Stage stage;
//     stage.prepare({{"read-503", Account::two_regions, Does::read, {.to = 1, .status = 503}}});
//     … the client's User-Agent ends in "read-503", and so is its container named …
//     EXPECT_EQ(to_string(stage.seen("read-503")), "East US 503, West US 200");
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/chaos/cosmos/gateway.hpp"

namespace perdure::live {

inline const std::string home_of_scripts = PERDURE_COSMOS_TESTS;

// What kind of account: one region; East and West of which East takes writes; both take writes.
enum class Account : std::uint8_t { one_region, two_regions, two_writable };
enum class Does : std::uint8_t { read, create };
// Whether the client learns its regions from the account, or is told of one endpoint and keeps to it.
enum class Follows : std::uint8_t { account, endpoint };

inline chaos::GatewayFault throttles(std::uint64_t times) {
    return {.to = times, .status = 429, .substatus = 3200, .retry_after = 50ms};
}

// A plain value. The fault needs no words: it strikes the scene's own requests, in the region it names.
struct Scene {
    std::string name{};
    Account account = Account::one_region;
    Does does = Does::read;
    chaos::GatewayFault fault{};
    Follows follows = Follows::account;
};

// What one client did: its attempts at the item, and its readings of the account document between them.
struct Seen {
    struct Step {
        TimePoint at{};
        std::string region{};  // "account": the account document, anywhere
        int status = 0;        // 0: not answered
        int substatus = 0;
        std::string session_token{};
    };
    std::vector<Step> steps{};

    [[nodiscard]] std::size_t attempts() const;
    [[nodiscard]] std::vector<Duration> gaps() const;  // between attempts
};
// "East US 403/1008, account, West US 200"; the same several times over: "East US 429/3200 x3"; a session
// token that the first attempt had and this one has not: "East US 200 without token".
std::string to_string(const Seen& seen);

// What its caller was told.
struct Told {
    bool done = false;
    int status = 0;
    int substatus = 0;
    std::string error{};
};

// Used by one thread at a time.
class Stage {
public:
    Stage();

    // Faults for all scenes that will be played. What was there before is forgotten.
    void prepare(const std::vector<Scene>& scenes);
    [[nodiscard]] std::string endpoint(Account account) const;
    [[nodiscard]] chaos::CosmosGateway& gateway(Account account) const;
    // The scenes as scenes.mjs wants them.
    [[nodiscard]] std::string for_script(const std::vector<Scene>& scenes) const;
    [[nodiscard]] Seen seen(const Scene& scene) const;

private:
    std::map<Account, std::unique_ptr<chaos::CosmosGateway>> gateways_;
};

// Plays them all with @azure/cosmos. By the scene's name.
std::map<std::string, Told> play_with_js(const Stage& stage, const std::vector<Scene>& scenes);
// Why that client is not to be had here; empty if it is.
std::string js_missing();

}  // namespace perdure::live
