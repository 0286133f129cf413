// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/consistency.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::array<std::string_view, 5> names = {"Strong", "BoundedStaleness", "Session",
                                                   "ConsistentPrefix", "Eventual"};

}  // namespace

std::string_view to_string(Consistency level) noexcept {
    return names[static_cast<std::size_t>(level)];
}

std::optional<Consistency> parse_consistency(std::string_view text) noexcept {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::ranges::equal(text, names[i], {}, lower, lower))
            return static_cast<Consistency>(i);
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
