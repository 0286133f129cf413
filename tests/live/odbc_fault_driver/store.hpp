// SPDX-License-Identifier: Apache-2.0
//
// What does the very small SQL Server keep? Tokens, which are unique, and a number of inserted rows;
// each connection sees its own changes at once and the others' after their commit.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "live/odbc_fault_driver/plan.hpp"

namespace odbc_fault {

// With the attempt that wrote each; empty: none was given. Both as literals, "0x00ff".
using Tokens = std::map<std::string, std::string>;

// What one connection has not yet committed. Used by its own thread.
struct Changes {
    Tokens tokens{};
    std::int64_t rows = 0;
    bool doomed = false;  // an error under XACT_ABORT has rolled it back
};

// Shared by all connections of the process.
class Store {
public:
    // Nothing: done. Else what the server says.
    std::optional<Record> insert_token(const std::string& key, const std::string& attempt_id,
                                       Changes& changes);
    // Nothing: not there.
    std::optional<std::string> attempt_of(const std::string& token);
    void create_tokens();
    std::int64_t delete_tokens();
    void commit(Changes& changes);
    void roll_back(Changes& changes);
    std::int64_t rows(const Changes& changes);
    std::int64_t committed_tokens();
    void reset();

private:
    std::mutex mutex_;
    bool has_tokens_ = false;
    Tokens tokens_;
    std::set<std::string> held_;  // inserted by somebody, neither committed nor rolled back
    std::int64_t rows_ = 0;
};

Store& store();

}  // namespace odbc_fault
