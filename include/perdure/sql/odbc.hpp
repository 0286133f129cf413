// SPDX-License-Identifier: Apache-2.0
//
// How is a database reached that has an ODBC driver? Through the driver manager (unixODBC), by the
// usual connection string, the name of a data source, or a URL.
//
//     sql::Database bank{*sql::odbc("Driver={ODBC Driver 18 for SQL Server};Server=db;UID=app",
//                                   {.password_from = "BANK_PASSWORD"})};
//     sql::odbc("DSN=bank");   sql::odbc("odbc:DSN=bank");   sql::odbc("odbc://bank?Database=b");
//
// What the database is shows after the first connect (SQL_DBMS_NAME): SQL Server is read by its
// native numbers, PostgreSQL, MariaDB, MySQL and SQLite by their own tables, others by SQLSTATE.
// ODBC drivers block, and some heed no timeout, so each session has a thread that makes all its
// calls. A call that outlasts its bounds is left to that thread: the session is broken at once, and
// its handles are freed when the driver comes back. Encryption is what the driver's settings say.
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

struct OdbcOptions {
    // The environment variable the password is read from, once, when the driver is made. Empty:
    // what the connection string or the data source says.
    std::string password_from{};
    std::size_t prepared_statements = 32;  // kept ready in each session
};

// Fails with `invalid` for what is neither of the forms above; connects only when asked to.
[[nodiscard]] Result<std::shared_ptr<Driver>> odbc(std::string_view connection_string_or_url,
                                                   OdbcOptions options = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
