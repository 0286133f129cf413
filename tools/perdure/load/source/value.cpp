// SPDX-License-Identifier: Apache-2.0
#include "load/source/value.hpp"

#include <array>

namespace tool::load {

namespace {

constexpr std::array<std::string_view, 11> names{"integer",     "real",    "boolean", "text",
                                                 "json",        "numeric", "date",    "timestamp",
                                                 "timestamptz", "uuid",    "other"};

}  // namespace

std::string_view to_string(Type type) noexcept { return names[static_cast<std::size_t>(type)]; }

std::optional<Type> type_named(std::string_view word) noexcept {
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
        if (names[i] == word) return static_cast<Type>(i);
    return std::nullopt;
}

std::string list_of_types() {
    const std::size_t last = names.size() - 2;
    std::string list{names[0]};
    for (std::size_t i = 1; i <= last; ++i) list.append(i == last ? " or " : ", ").append(names[i]);
    return list;
}

}  // namespace tool::load
