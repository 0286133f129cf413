// SPDX-License-Identifier: Apache-2.0
//
// Which scenarios come with the tool? The files of scenarios/, which scenarios/embed.cmake writes
// into the program.
//
//     for (const auto& [name, text] : shipped_scenarios()) …
#pragma once

#include <span>
#include <string_view>

namespace tool {

struct ShippedScenario {
    std::string_view name;  // "retry-storm"
    std::string_view text;
};

// By name. Any thread.
std::span<const ShippedScenario> shipped_scenarios();

}  // namespace tool
