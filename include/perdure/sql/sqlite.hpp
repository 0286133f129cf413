// SPDX-License-Identifier: Apache-2.0
//
// How is a SQLite database opened? By its path or URL; needs libsqlite3, room perdure::sqlite.
//
//     auto driver = sql::sqlite("bank.db");
//     if (!driver) …                                       // a wrong URL; nothing was opened yet
//     sql::Database bank{*driver};
//
//     bank.db   sqlite:bank.db   sqlite:///var/lib/bank.db   file:bank.db?mode=ro   :memory:
//
// A relative path is taken from where the process stands when the driver is made. `:memory:` is one
// database for all sessions of one driver and goes with it; its readers and writers wait for each
// other. Shared caches are refused: their locks know no waiting. Sessions must not be carried into a
// child of fork().
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "perdure/result.hpp"
#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// wal: readers and the writer do not wait for each other. The file is changed over when it is opened
// for writing; where the file system cannot, it stays as it is.
enum class Journal : std::uint8_t { wal, as_it_is };

// How hard a COMMIT is pressed onto the disk. as_it_is is SQLite's default, full unless it was built
// otherwise. normal with WAL can lose the last commits when the power fails, never when a process
// does.
enum class Synchronous : std::uint8_t { as_it_is, normal, full };

enum class Creation : std::uint8_t { create_missing, must_exist };

// SQLite does not look at foreign keys unless it is told to, in each session.
enum class ForeignKeys : std::uint8_t { as_it_is, enforced };

struct SqliteOptions {
    Journal journal = Journal::wal;
    Synchronous synchronous = Synchronous::as_it_is;
    Creation create = Creation::create_missing;
    ForeignKeys foreign_keys = ForeignKeys::as_it_is;
    std::size_t statements = 64;  // kept prepared in each session
};

// Fails for a path or URL that cannot be meant. A missing or unreadable file is told by connect().
[[nodiscard]] Result<std::shared_ptr<Driver>> sqlite(std::string_view path_or_url,
                                                     SqliteOptions options = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
