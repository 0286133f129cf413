// SPDX-License-Identifier: Apache-2.0
//
// What does a driver's list of diagnostic records mean? One row of a table, and the failure it makes.
// Pure: what the driver said goes in as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/sql/error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// One answer of SQLGetDiagRec.
struct Record {
    std::string state{};
    std::int32_t native = 0;
    std::string message{};
};

enum class Life : std::uint8_t { alive, dead };

// What all records together mean.
struct Meaning {
    Failure failure{};
    bool discard = false;  // the session is good for nothing any more
};

// The product a data source turned out to be, by its SQL_DBMS_NAME.
Product product_of(std::string_view dbms_name) noexcept;

// The row for one record: by native number for SQL Server, else by SQLSTATE, and by native number
// where the state says nothing. `code` is what the failure will be called.
struct Reading {
    const ErrorRow* row = nullptr;
    std::string code{};
    bool known = false;  // the code has a row of its own
};
Reading read_record(Product product, const Record& record);

// Every record is looked at; the first that can be helped names the failure, and one ambiguous
// record is enough to make a COMMIT unknown.
Meaning meaning_of(Product product, const std::vector<Record>& records, During during, Life life);

// A duplicate key, as the answer to the insert of a token.
bool is_duplicate(Product product, const std::vector<Record>& records);
// A lock that was not given in time.
bool is_lock_timeout(Product product, const std::vector<Record>& records);
// The table of the statement is not there.
bool is_missing_table(Product product, const std::vector<Record>& records);
// A column of the statement is not in its table.
bool is_missing_column(Product product, const std::vector<Record>& records);

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
