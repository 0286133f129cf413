// SPDX-License-Identifier: Apache-2.0
//
// Which constraint of a table refused a write? One answer for the codes of all databases.
//
//     const auto done = bank.execute("insert into account (id, cents) values (?, 0)", id);
//     if (done) return true;
//     if (sql::violation(done.error()) == sql::Violation::unique) return false;  // it was there before
#pragma once

#include <cstdint>
#include <string_view>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Violation : std::uint8_t {
    none,    // the failure has another reason
    unique,  // a primary key, a unique constraint or a unique index
    foreign_key,
    not_null,
    check,
    other,  // another kind (exclusion, trigger), or a code that does not tell the kinds apart: ODBC's
            // 23000, SQL Server's 547 of foreign keys and checks
};

// By the cause and the service's code of a failure that a database or transaction returned. Any thread.
[[nodiscard]] Violation violation(const Failure& failure) noexcept;

std::string_view to_string(Violation violation) noexcept;

}  // namespace sql
}  // namespace v0
}  // namespace perdure
