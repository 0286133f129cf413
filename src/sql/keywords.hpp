// SPDX-License-Identifier: Apache-2.0
//
// What kind of statement is this? By its first words, comments left aside: enough to know what would
// take a transaction or a session out of our hands.
#pragma once

#include <string_view>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

struct Nature {
    // Begins or ends a transaction: what follows could neither be repeated nor resolved.
    bool controls_transactions = false;
    // The session is another one afterwards: its schema, its settings. What a function does inside
    // cannot be seen here.
    bool changes_session = false;
    // A procedure or a block: it may commit in the middle, and an error then does not say that
    // nothing was done.
    bool may_commit_midway = false;
};

[[nodiscard]] Nature nature_of(std::string_view statement) noexcept;
// INSERT, UPDATE, DELETE or MERGE. Others may write too, by a function or inside WITH.
[[nodiscard]] bool writes_rows(std::string_view statement) noexcept;
// Whether PostgreSQL runs it without taking a snapshot: LOCK, SET, SHOW.
[[nodiscard]] bool takes_no_snapshot(std::string_view statement) noexcept;
// NOTIFY, or a call of pg_notify(): what lasts by COMMIT without a row having been written.
[[nodiscard]] bool notifies(std::string_view statement) noexcept;
// Whether it is one of those that some databases commit by themselves: CREATE, ALTER, DROP …
[[nodiscard]] bool changes_schema(std::string_view statement) noexcept;
// Whether there are several in one text, which only ODBC lets through.
[[nodiscard]] bool has_several(std::string_view statement) noexcept;

// What Database::execute and the statements of a transaction say to it.
[[nodiscard]] Failure refused_alone(std::string_view statement);
[[nodiscard]] Failure refused_in_transact(std::string_view statement);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
