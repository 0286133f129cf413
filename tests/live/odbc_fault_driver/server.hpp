// SPDX-License-Identifier: Apache-2.0
//
// What does a statement do, and what stands behind a handle?
#pragma once

#include <sql.h>
#include <sqlext.h>

#include <atomic>
#include <string>
#include <vector>

#include "live/odbc_fault_driver/store.hpp"

namespace odbc_fault {

// What every handle starts with: its last diagnostics.
struct Handle {
    std::vector<Record> records{};
};

struct Environment : Handle {};

struct Connection : Handle {
    bool autocommit = true;
    bool open = false;
    bool dead = false;
    Changes changes{};
};

struct Parameter {
    SQLSMALLINT c_type = 0;
    SQLPOINTER at = nullptr;
    SQLLEN* length = nullptr;
};

struct Field {
    SQLSMALLINT type = SQL_VARCHAR;
    bool is_null = false;
    std::int64_t integer = 0;
    double real = 0;
    std::string bytes{};
};

struct Statement : Handle {
    explicit Statement(Connection& owner) : connection{owner} {}
    Connection& connection;
    std::string text{};
    std::vector<Parameter> parameters{};
    std::vector<std::vector<Field>> rows{};
    std::vector<SQLSMALLINT> columns{};  // their types
    std::size_t next_row = 0;
    std::size_t given = 0;  // of the field being read in pieces
    SQLUSMALLINT reading = 0;
    SQLLEN affected = -1;
    bool cancelled = false;  // under the plan's lock
    SQLULEN timeout = 0;
};

// Counted for the tests.
struct Counts {
    std::atomic<std::int64_t> opens{0};
    std::atomic<std::int64_t> closes{0};
    std::atomic<std::int64_t> links{0};  // open now
    std::atomic<std::int64_t> executes{0};
    std::atomic<std::int64_t> prepares{0};
    std::atomic<std::int64_t> commits{0};
    std::atomic<std::int64_t> rollbacks{0};
    std::atomic<std::int64_t> cancels{0};
};
Counts& counts();

SQLRETURN refuse(Handle& handle, std::vector<Record> records);
SQLSMALLINT placeholders(const std::string& text);
SQLRETURN execute(Statement& statement);
SQLRETURN end(Connection& connection, SQLSMALLINT how);

}  // namespace odbc_fault
