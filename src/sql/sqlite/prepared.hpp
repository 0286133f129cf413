// SPDX-License-Identifier: Apache-2.0
//
// How is a statement kept so that it is compiled once? Prepared, by its text, the least recently used
// dropped first.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perdure {
inline namespace v0 {
namespace sql {

struct CloseDatabase {
    void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
using DatabaseHandle = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

struct Prepared {
    StatementHandle handle{};
    bool inserts = false;  // so that it may have made a key
};

// Owned by one session; statements must go before their database.
class PreparedStatements {
public:
    explicit PreparedStatements(std::size_t most) noexcept : most_{most < 1 ? 1 : most} {}

    // Null if it is not here.
    [[nodiscard]] Prepared* find(std::string_view text);
    // May drop another.
    Prepared& keep(std::string_view text, Prepared prepared);

private:
    struct Entry {
        std::string text;
        Prepared prepared;
    };
    std::size_t most_;
    std::list<Entry> entries_;  // youngest first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
