// SPDX-License-Identifier: Apache-2.0
//
// What does the user's text ask the driver manager for? Pairs of keyword and value, in every usual
// form, and written back with the quoting ODBC wants.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// A plain value.
class ConnectionString {
public:
    // "Driver=…;Server=…", "DSN=…", either with "odbc:" before it, or "odbc://user@dsn?Key=Value".
    static Result<ConnectionString> parse(std::string_view text);

    // Keywords are compared without regard to case. Null: not given.
    [[nodiscard]] const std::string* find(std::string_view keyword) const noexcept;
    void set(std::string_view keyword, std::string value);

    // For SQLDriverConnect. Holds the password: never logged.
    [[nodiscard]] std::string text() const;
    // "odbc bank" or "odbc db.internal/bank": no user, no password.
    [[nodiscard]] std::string name() const;

private:
    std::vector<std::pair<std::string, std::string>> pairs_;
};

// The value of an environment variable; empty if there is none.
std::string environment(std::string_view name);

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
