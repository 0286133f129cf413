// SPDX-License-Identifier: Apache-2.0
//
// What can one field of a record hold, and what is a column for? The little that JSON, CSV and every
// target have in common.
//
//     Value{std::int64_t{7}}   Value{"seven"}   Value{}        // the last is null
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tool::load {

// How a column keeps its values. `json`: text that is a JSON value, kept as it was written. `numeric` to
// `uuid`: text of the form that typed_text.hpp describes, in which the target may keep it as a type of its
// own. `other`: any other type of the target, which is given text and interprets it itself.
enum class Type : std::uint8_t {
    integer,
    real,
    boolean,
    text,
    json,
    numeric,
    date,
    timestamp,    // without a time zone
    timestamptz,  // with one in every value
    uuid,
    other
};

enum class ValueKind : std::uint8_t { null, boolean, integer, real, text };

// A view: texts lie in the batch or in its rows.
struct Value {
    Value() = default;
    explicit Value(std::same_as<bool> auto value) noexcept
        : kind{ValueKind::boolean}, integer{value ? 1 : 0} {}
    explicit Value(std::int64_t value) noexcept : kind{ValueKind::integer}, integer{value} {}
    explicit Value(double value) noexcept : kind{ValueKind::real}, real{value} {}
    explicit Value(std::string_view value) noexcept : kind{ValueKind::text}, text{value} {}

    ValueKind kind = ValueKind::null;
    std::int64_t integer = 0;  // of boolean: 0 or 1
    double real = 0;
    std::string_view text{};
};

// What the target does to some texts of a column without an error.
enum class Alters : std::uint8_t {
    nothing,
    single,     // keeps numbers in single precision
    numbers,    // SQLite's NUMERIC affinity: what looks like a number becomes one
    fractions,  // rounds or cuts digits behind a point, whatever the text is otherwise
    meanings,   // MariaDB's bit, enum, set and year: reads some texts as something else
};

struct Column {
    std::string name{};
    Type type = Type::text;
    bool required = false;      // takes no null, and the target fills nothing in
    bool has_default = false;   // the target fills something in when it is left out
    bool numbers_zero = false;  // the target puts a number of its own in the place of 0
    std::string server_type{};  // as the target calls it; empty for one that is yet to be made
    bool inferred = false;      // the type comes from a sample of the input
    bool from_csv = false;      // and the sample from CSV, where 1.10 and 1.1 are different texts
    // Of a column of type `other`: the type of the texts it is made for, if it is one of ours. The target
    // takes other forms as well.
    Type made_for = Type::other;
    // What it holds at most; the target would cut or round some longer values without an error.
    std::size_t most_characters = SIZE_MAX;
    std::size_t most_bytes = SIZE_MAX;
    std::size_t most_digits = SIZE_MAX;  // of a number in single precision
    Alters alters = Alters::nothing;
    std::int64_t most_whole = INT64_MAX;     // digits of a decimal before its point
    std::int64_t most_fraction = INT64_MAX;  // and behind it; digits of a second of a timestamp
};

// The columns a load writes, in the order of its rows' values.
struct Schema {
    std::vector<Column> columns{};
    std::optional<std::size_t> key{};   // the column that tells records apart
    std::optional<std::size_t> sort{};  // with this one, where a table's key has two

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i].name == name) return i;
        return std::nullopt;
    }
};

// Finds a column by binary search: names of an input could be made to collide in a hash table. Of the schema it was made of; constant.
class ColumnIndex {
public:
    explicit ColumnIndex(const Schema& schema);
    [[nodiscard]] std::optional<std::size_t> find(const Schema& schema,
                                                  std::string_view name) const noexcept;

private:
    std::vector<std::size_t> by_name_;
};

// The enumerator's name.
std::string_view to_string(Type type) noexcept;
// Nothing for a word that is no type; `other` cannot be named.
std::optional<Type> type_named(std::string_view word) noexcept;
// "integer, real, … or uuid": all that can be named.
std::string list_of_types();

// Kept as text of a form of its own: the same value may come back in other letters.
[[nodiscard]] constexpr bool has_one_form(Type type) noexcept {
    return type >= Type::numeric && type <= Type::uuid;
}

}  // namespace tool::load
