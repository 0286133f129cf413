// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/violation.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

struct ViolationCode {
    std::string_view code{};
    Violation violation = Violation::none;
};

// The codes mean the same in every error table that has them as a conflict, so the product need not be
// known (tests/sql/violation_test.cpp looks through all tables).
constexpr auto violation_codes = std::to_array<ViolationCode>({
    // SQLite, sqlite.org/rescode.html
    {"19", Violation::other},  // without an extended code, as over ODBC
    {"275", Violation::check},
    {"531", Violation::other},  // commit hook
    {"787", Violation::foreign_key},
    {"1043", Violation::other},  // an extension
    {"1299", Violation::not_null},
    {"1555", Violation::unique},  // primary key
    {"1811", Violation::other},   // trigger
    {"2067", Violation::unique},
    {"2323", Violation::other},   // virtual table
    {"2579", Violation::unique},  // row id
    {"2835", Violation::other},   // pinned row
    {"3091", Violation::other},   // type of a strict table
    // PostgreSQL, Appendix A; other codes of class 23 are `other`
    {"23001", Violation::foreign_key},  // ON DELETE RESTRICT
    {"23502", Violation::not_null},
    {"23503", Violation::foreign_key},
    {"23505", Violation::unique},
    {"23514", Violation::check},
    {"40002", Violation::other},  // found at COMMIT
    // MariaDB and MySQL error lists
    {"1022", Violation::unique},
    {"1048", Violation::not_null},
    {"1062", Violation::unique},
    {"1216", Violation::foreign_key},
    {"1217", Violation::foreign_key},
    {"1364", Violation::not_null},  // left out, and without a default
    {"1451", Violation::foreign_key},
    {"1452", Violation::foreign_key},
    {"3819", Violation::check},  // MySQL
    {"4025", Violation::check},
    // SQL Server, sys.messages
    {"515", Violation::not_null},
    {"547", Violation::other},  // a foreign key or a check
    {"2601", Violation::unique},
    {"2627", Violation::unique},
});

}  // namespace

Violation violation(const Failure& failure) noexcept {
    if (failure.cause != Cause::conflict) return Violation::none;
    const std::string_view code = failure.code;
    const auto* const found = std::ranges::find(violation_codes, code, &ViolationCode::code);
    if (found != violation_codes.end()) return found->violation;
    const bool class_23 = code.size() == 5 && code.starts_with("23");
    return class_23 ? Violation::other : Violation::none;
}

std::string_view to_string(Violation violation) noexcept {
    switch (violation) {
        case Violation::none: return "none";
        case Violation::unique: return "unique";
        case Violation::foreign_key: return "foreign key";
        case Violation::not_null: return "not null";
        case Violation::check: return "check";
        case Violation::other: return "other";
    }
    return "other";
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
