// SPDX-License-Identifier: Apache-2.0
//
// What goes to a session's thread, and what comes back? Values only: the caller may have left when
// the driver comes to its end, so nothing here points at anything of the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perdure/sql/statement.hpp"
#include "sql/odbc/records.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// A parameter, copied.
struct Value {
    Kind kind = Kind::null;
    std::int64_t integer = 0;
    double real = 0;
    std::string bytes{};  // text or bytes
};
std::vector<Value> copy_of(std::span<const Parameter> parameters);

struct Order {
    std::string text{};
    std::vector<Value> values{};
    std::uint32_t timeout = 0;  // whole seconds for the driver; 0: none
};

// Rows on their way from the thread to the caller.
struct Batch {
    struct Field {
        Kind kind = Kind::null;
        std::int64_t integer = 0;
        double real = 0;
        std::size_t at = 0;  // of text and bytes, in `bytes`
        std::size_t size = 0;
    };
    std::vector<std::string> names{};  // only of the first batch
    std::vector<Field> fields{};
    std::string bytes{};
    std::size_t columns = 0;

    [[nodiscard]] bool empty() const noexcept { return names.empty() && fields.empty(); }
};
// Hands every row to the sink.
Result<void> pour(const Batch& batch, RowSink& sink);

// What a call of the driver came to.
struct Reply {
    bool good = true;
    std::vector<Record> records{};
    Life life = Life::alive;
    int placeholders = -1;  // what the driver counted, if that was not what it was given
    Done done{};
    std::string dbms{};  // of a connect

    static Reply failed(std::vector<Record> why, Life life) {
        return {.good = false, .records = std::move(why), .life = life};
    }
};

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
