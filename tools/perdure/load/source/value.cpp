// SPDX-License-Identifier: Apache-2.0
#include "load/source/value.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tool::load {

namespace {

constexpr std::array<std::string_view, 11> names{"integer",     "real",    "boolean", "text",
                                                 "json",        "numeric", "date",    "timestamp",
                                                 "timestamptz", "uuid",    "other"};

}  // namespace

ColumnIndex::ColumnIndex(const Schema& schema) : by_name_(schema.columns.size()) {
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::ranges::sort(by_name_, {},
                      [&](std::size_t i) -> std::string_view { return schema.columns[i].name; });
}

std::optional<std::size_t> ColumnIndex::find(const Schema& schema,
                                             std::string_view name) const noexcept {
    const auto name_of = [&](std::size_t i) -> std::string_view { return schema.columns[i].name; };
    const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
    if (found == by_name_.end() || name_of(*found) != name) return std::nullopt;
    return *found;
}

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
