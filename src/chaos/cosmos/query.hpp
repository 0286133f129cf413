// SPDX-License-Identifier: Apache-2.0
//
// Which items are asked for, and what of them? A small part of the service's SQL.
//
//     SELECT * | VALUE path | path [AS name], … | [VALUE] COUNT(1)
//     FROM c [WHERE …] [ORDER BY path [DESC]] [OFFSET n LIMIT m]
//
// Conditions compare a path with a value, joined by AND, OR, NOT and brackets; IN and IS_DEFINED.
// What is read takes memory in proportion to the text and its parameters: nothing is copied for each use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

using Path = std::vector<std::string>;

inline constexpr std::size_t longest_query = std::size_t{512} << 10u;  // the service's own limit
inline constexpr std::size_t longest_path = 128;     // names; no document is nested deeper
inline constexpr std::size_t most_selected = 1'000;  // each is looked for among those before it

// A plain value.
struct Condition {
    enum class Kind : std::uint8_t {
        always,
        all,
        any,
        no,
        defined,
        equal,
        unequal,
        less,
        more,
        at_most,
        at_least,
        one_of
    };
    using Value = std::shared_ptr<const Json>;  // a parameter may stand in many places

    Kind kind = Kind::always;
    std::vector<Condition> parts{};
    Path path{};
    std::vector<Value> values{};  // one, or of one_of any number

    [[nodiscard]] bool fits(const Json& item) const;
};

// A plain value.
struct Query {
    enum class Select : std::uint8_t { all, value, fields, count, count_object };
    struct Field {
        Path path{};
        std::string name{};
    };

    Select select = Select::all;
    std::vector<Field> fields{};
    Condition where{};
    std::optional<Path> order{};
    bool descending = false;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> limit{};

    // {"query": …, "parameters": […]}; nothing, with the reason in `problem`, for what is not
    // understood.
    static std::optional<Query> read(const Json& body, std::string& problem);
    // "from c where c.v = 3"
    static std::optional<Query> condition(std::string_view text);

    [[nodiscard]] bool fits(const Json& item) const { return where.fits(item); }
    // Whether its answer needs all items at once.
    [[nodiscard]] bool needs_all() const noexcept {
        return order || limit || select == Select::count || select == Select::count_object;
    }
    // What is answered for an item; nothing: it has no such value.
    [[nodiscard]] std::optional<Json> project(const Json& item) const;
};

// By kind first: null, false, true, numbers, text; then by value.
int compare(const Json& left, const Json& right);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
