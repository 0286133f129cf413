// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_switches.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>

#include "live/support/process.hpp"

namespace perdure::live {
namespace {

constexpr std::array<std::string_view, 7> known{"text", "no-kills",    "no-proxy",  "no-aio",
                                                "key",  "general-log", "slow-write"};

std::set<std::string, std::less<>> words_of_environment() {
    std::set<std::string, std::less<>> words;
    std::istringstream text{money_setting("PERDURE_MONEY")};
    for (std::string word; text >> word;) {
        if (std::ranges::find(known, word) == known.end())
            give_up("PERDURE_MONEY has the unknown word " + word);
        words.insert(word);
    }
    return words;
}

}  // namespace

bool money_switch(std::string_view word) {
    static const auto words = words_of_environment();
    return words.contains(word);
}

std::string money_setting(const char* name) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return text ? text : "";
}

}  // namespace perdure::live
