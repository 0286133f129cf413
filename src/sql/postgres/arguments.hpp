// SPDX-License-Identifier: Apache-2.0
//
// How do parameters go to the server, and how does a row come back? Everything as text, of a type the
// server finds out itself; only bytes go as bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "handles.hpp"
#include "perdure/sql/statement.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// The arrays that libpq wants. Kept by its session, so that nothing is allocated for the next
// statement.
class Arguments {
public:
    // The parameters must outlive the sending.
    void set(std::span<const Parameter> parameters);

    [[nodiscard]] int count() const noexcept { return static_cast<int>(values_.size()); }
    [[nodiscard]] const Oid* types() const noexcept { return types_.data(); }
    [[nodiscard]] const char* const* values() const noexcept { return values_.data(); }
    [[nodiscard]] const int* lengths() const noexcept { return lengths_.data(); }
    [[nodiscard]] const int* formats() const noexcept { return formats_.data(); }
    [[nodiscard]] std::span<const Oid> all_types() const noexcept { return types_; }
    // A statement prepared for these types can take them: each that is no NULL is of its type.
    [[nodiscard]] bool fit(std::span<const Oid> prepared) const noexcept;

private:
    std::vector<Oid> types_;
    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
    std::string texts_;
};

// Reads the rows of one result after the other.
class RowReader {
public:
    // Takes the columns' types; their names are valid as long as the result.
    [[nodiscard]] std::span<const std::string_view> columns(const PGresult* result);
    // Valid until the next call.
    [[nodiscard]] std::span<const Cell> read(const PGresult* result, int row);

private:
    [[nodiscard]] Cell cell(const PGresult* result, int row, int column);
    [[nodiscard]] std::string_view unescaped(const char* text, std::size_t length);

    std::vector<std::string_view> names_;
    std::vector<Oid> types_;
    std::vector<Cell> cells_;
    std::string bytes_;
};

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
