// SPDX-License-Identifier: Apache-2.0
//
// How do a record's values go into statements, and come out of rows?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "load/source/value.hpp"
#include "perdure/sql/cell.hpp"
#include "perdure/sql/parameter.hpp"
#include "perdure/sql/rows.hpp"

namespace tool::load {

[[nodiscard]] perdure::sql::Parameter parameter_of(const Value& value) noexcept;
// Databases without booleans give numbers back; what is not of the column's type stays as it is.
[[nodiscard]] Value value_of(Type type, const perdure::sql::Cell& cell) noexcept;

// A row's cells as values of the schema's columns; `into` is used again for each row.
[[nodiscard]] perdure::Result<void> read_values(const Schema& schema, const perdure::sql::Row& row,
                                                std::vector<Value>& into);

// Equal for keys that are the same value of the column's type; for looking keys up.
[[nodiscard]] std::string key_mark(Type type, const Value& key);

// PostgreSQL's literal of an array. Appended to `into`, values of one column of `rows`.
struct ArraySlice {
    std::span<const Value> values{};  // of all rows, one after the other
    std::size_t width = 0;
    std::size_t column = 0;
    std::span<const std::size_t> rows{};
};
void append_array(const ArraySlice& slice, std::string& into);

}  // namespace tool::load
