// SPDX-License-Identifier: Apache-2.0
//
// What is a session told to do, and where do its rows go?
//
//     const std::array<Parameter, 1> parameters{id};
//     session.run({"select cents from account where id = ?", parameters}, sink, bounds);
//
// Placeholders are written `?` for every database; PostgreSQL's own `$1` is left as it is, and its
// operators with a question mark are written `??`.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>

#include "perdure/result.hpp"
#include "perdure/sql/cell.hpp"
#include "perdure/sql/parameter.hpp"
#include "perdure/time/deadline.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

struct Statement {
    std::string_view text{};
    std::span<const Parameter> parameters{};
};

// Until when a call to a session may last, and who may end it before. Both are kept whatever the
// server or the network does; a session whose call was cut off is broken afterwards.
struct Bounds {
    Deadline deadline{};
    std::stop_token stop{};
};

// What a statement did beside giving rows.
struct Done {
    std::int64_t affected = 0;  // rows changed; of a query, rows given
    std::int64_t last_id = 0;   // the last generated key, where the database tells without asking
};

// Takes rows as they arrive. A failure ends the statement and is passed on as it is.
class RowSink {
public:
    RowSink() = default;
    RowSink(const RowSink&) = delete;
    RowSink& operator=(const RowSink&) = delete;
    virtual ~RowSink();
    // Before the first row, also when there will be none. Views live until the next call.
    [[nodiscard]] virtual Result<void> columns(std::span<const std::string_view> names) = 0;
    [[nodiscard]] virtual Result<void> row(std::span<const Cell> cells) = 0;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
