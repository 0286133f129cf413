// SPDX-License-Identifier: Apache-2.0
//
// What is sent, where and how often, for each way an account can misbehave: the table on the page
// docs/reference/cosmos-transcripts.md, played by our client and by @azure/cosmos.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "live/cosmos/support/stage.hpp"
#include "perdure/cosmos/plans.hpp"

namespace perdure::live {

// A kind of trouble, and what the .NET and Java SDKs do about it according to their source.
struct Trouble {
    std::string name{};
    chaos::GatewayFault fault{};
    std::string dotnet_read{};
    std::string dotnet_write{};
    std::string java_read{};
    std::string java_write{};
};
const std::vector<Trouble>& troubles();

// Each of them, read and create, in one kind of account.
std::vector<Scene> scenes(Account account);
const Trouble& trouble_of(const Scene& scene);

// What one client did in one scene, in words. Only the gaps are different every time.
struct Played {
    std::string sent{};
    std::string told{};
    std::string gaps{};
};
using Plays = std::map<std::string, Played>;  // by the scene's name

Plays play_ours(const std::vector<Scene>& scenes,
                cosmos::Retries retries = cosmos::Retries::perdure);
Plays play_theirs(const std::vector<Scene>& scenes);

}  // namespace perdure::live
