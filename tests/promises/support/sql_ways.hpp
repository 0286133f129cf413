// SPDX-License-Identifier: Apache-2.0
//
// A call as a transaction, made in three ways: by `sql::transact` with nothing configured but the
// address, and by two plain loops over the driver's sessions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "perdure/sql/database.hpp"
#include "promises/support/drill.hpp"
#include "promises/support/plain_loop.hpp"

namespace perdure::promises {

// What a transaction does: statements one after another. "{rows}" stands for the way's own table, a
// question mark for the call's number.
struct SqlWork {
    std::vector<std::string> statements{};
};

inline constexpr int default_sql_pool = 10;

// A user of the server's for each way, by which the server's log tells them apart.
using MakeDriver = std::function<std::shared_ptr<sql::Driver>(const std::string& user)>;

// Calls may be made from any number of threads. Must outlive its ways.
class SqlWays {
public:
    SqlWays(const MakeDriver& make_driver, const SqlWork& work, int pool = default_sql_pool);
    SqlWays(const SqlWays&) = delete;
    SqlWays& operator=(const SqlWays&) = delete;
    ~SqlWays();

    [[nodiscard]] Ways ways();

private:
    class PlainSessions;
    [[nodiscard]] Told with_perdure(std::int64_t number);
    [[nodiscard]] Told with_loop(PlainSessions& sessions, const LoopRules& rules,
                                 const std::vector<std::string>& statements, std::int64_t number);

    std::vector<std::vector<std::string>> statements_;  // for each way
    sql::Database database_;
    std::unique_ptr<PlainSessions> for_four_;
    std::unique_ptr<PlainSessions> for_until_;
};

}  // namespace perdure::promises
