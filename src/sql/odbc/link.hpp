// SPDX-License-Identifier: Apache-2.0
//
// How is one connection driven through ODBC? All calls of the interface stand here and in
// binding.cpp and fetching.cpp; what they say goes out as values.
#pragma once

#include <list>
#include <mutex>

#include "sql/odbc/handles.hpp"
#include "sql/odbc/job.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// The statement that is running, so that another thread can break it off.
class Running {
public:
    void set(SQLHSTMT statement);
    void cancel();

private:
    std::mutex mutex_;  // held while cancelling: the handle must not be freed meanwhile
    SQLHSTMT statement_ = SQL_NULL_HANDLE;
};

enum class Ending : std::uint8_t { commit, roll_back };

// Used on the session's own thread only.
class Link {
public:
    Link(std::size_t prepared_statements, Running& running);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link();

    Reply connect(const std::string& connection_string, std::uint32_t timeout);
    // A statement with its parameters; rows go into the job.
    Reply run(const Order& order, Job& job);
    // The isolation, 0 for the server's own, then autocommit off, then the texts one by one.
    Reply begin(SQLUINTEGER isolation, const std::vector<std::string>& texts, Job& job);
    Reply end(Ending ending);
    // By the driver's own knowledge; some ask the server for it.
    Life life();

private:
    struct Prepared {
        std::string text{};
        StatementHandle handle{};
        SQLSMALLINT placeholders = 0;
    };

    Reply prepared(const Order& order, std::list<Prepared>::iterator& found);
    void forget(std::list<Prepared>::iterator which);
    // Executes, fetches and looks at every further result.
    Reply carry_out(SQLHSTMT statement, const std::string* direct, Job& job);
    Reply direct(const std::string& text, Job& job);
    Reply failed_at(SQLSMALLINT kind, SQLHANDLE handle);
    Reply set_autocommit(SQLULEN value);
    Reply set_isolation(SQLUINTEGER isolation);
    Life clean_up(Ending failed);
    void learn();

    const std::size_t most_prepared_;
    Running& running_;
    Environment environment_;
    Connection connection_;
    bool connected_ = false;
    Product product_ = Product::odbc;
    SQLUINTEGER default_isolation_ = 0;
    SQLUINTEGER isolation_ = 0;
    std::string dbms_{};
    std::list<Prepared> prepared_;  // the one used last comes first
};

// binding.cpp: values live as long as the statement runs.
struct Bound {
    std::vector<SQLLEN> lengths{};
    std::vector<unsigned char> bits{};
};
SQLRETURN bind(SQLHSTMT statement, Product product, const std::vector<Value>& values, Bound& bound);

// fetching.cpp: all rows of the result the statement stands on. `wanted` is cleared when the caller
// wants no more.
SQLRETURN fetch(SQLHSTMT statement, Job& job, std::int64_t& rows, bool& wanted);

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
