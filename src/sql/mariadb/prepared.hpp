// SPDX-License-Identifier: Apache-2.0
//
// How is a statement run? Prepared once, kept ready, bound to typed values, its rows handed on as they
// come.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "link.hpp"
#include "perdure/sql/statement.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// One column of a result: where the library writes, and how it is shown.
struct Column {
    Kind kind = Kind::text;
    bool narrow = false;  // FLOAT: half as wide as a double
    bool is_unsigned = false;
    my_bool null = 0;
    unsigned long length = 0;
    std::int64_t integer = 0;
    double real = 0;
    float small = 0;
    std::vector<char> bytes{};
};

// One prepared statement of one link. Used by one thread at a time.
class Prepared {
public:
    explicit Prepared(MYSQL& mysql);
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared();

    [[nodiscard]] bool prepare(std::string_view text) noexcept;
    [[nodiscard]] std::size_t placeholders() const noexcept;
    [[nodiscard]] bool execute(std::span<const Parameter> parameters);
    [[nodiscard]] bool gives_rows() const noexcept;
    // The names of the columns, and room for their values.
    [[nodiscard]] bool look_at_columns(std::vector<std::string_view>& names);
    enum class Fetched : std::uint8_t { row, end, failed };
    [[nodiscard]] Fetched fetch(std::vector<Cell>& cells);
    // Reads the results after the first and forgets them.
    [[nodiscard]] bool finish() noexcept;

    [[nodiscard]] Trouble trouble(const Watch& watch) const;
    [[nodiscard]] Done done() const noexcept;

private:
    void lay_out(const MYSQL_FIELD& field, Column& column, MYSQL_BIND& bind);
    [[nodiscard]] bool widen();
    [[nodiscard]] Cell cell_of(Column& column, std::string& scratch) const;

    MYSQL* mysql_;  // of the link; not touched when the link has been dropped
    MYSQL_STMT* statement_;
    std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> fields_;
    std::vector<Column> columns_;
    std::vector<MYSQL_BIND> binds_;
    std::vector<std::string> scratch_;  // numbers beyond 63 bits, written out
    bool unsent_ = false;               // Trouble::unsent, of the last execution
};

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
