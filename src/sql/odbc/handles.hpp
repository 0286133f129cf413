// SPDX-License-Identifier: Apache-2.0
//
// Who frees a handle of the driver manager? The object that holds it.
#pragma once

#include <sql.h>
#include <sqlext.h>

#include <utility>
#include <vector>

#include "sql/odbc/records.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// Used on one thread.
template <SQLSMALLINT kind>
class Handle {
public:
    Handle() noexcept = default;
    explicit Handle(SQLHANDLE above) noexcept {
        if (!SQL_SUCCEEDED(SQLAllocHandle(kind, above, &raw_))) raw_ = nullptr;
    }
    Handle(Handle&& other) noexcept : raw_{std::exchange(other.raw_, nullptr)} {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Handle() {
        if (raw_) SQLFreeHandle(kind, raw_);
    }

    [[nodiscard]] SQLHANDLE get() const noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

private:
    SQLHANDLE raw_ = nullptr;
};

using Environment = Handle<SQL_HANDLE_ENV>;
using Connection = Handle<SQL_HANDLE_DBC>;
using StatementHandle = Handle<SQL_HANDLE_STMT>;

// All of them, at most a few dozen.
std::vector<Record> records_of(SQLSMALLINT kind, SQLHANDLE handle);

// The C interface takes texts it only reads as pointers to what it might change.
inline SQLCHAR* in(const std::string& text) noexcept {
    return const_cast<SQLCHAR*>(reinterpret_cast<const SQLCHAR*>(text.c_str()));
}
// Attributes that are numbers travel as pointers.
inline SQLPOINTER number(SQLULEN value) noexcept {
    return reinterpret_cast<SQLPOINTER>(value);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
