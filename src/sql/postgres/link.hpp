// SPDX-License-Identifier: Apache-2.0
//
// How is a connection of libpq waited on? Never by libpq itself: it would wait as long as the server
// likes.
//
//     if (link.send_simple("COMMIT")) while (auto next = link.next(bounds); next.result) …
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "handles.hpp"
#include "perdure/sql/statement.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// How a wait ended.
enum class Wait : std::uint8_t { ready, deadline, stopped };

// What the server said without being asked. Some causes come in no other way.
struct Notices {
    std::string warning{};   // the SQLSTATE of the last one
    std::string farewell{};  // of one that says that the session is over
    std::string farewell_text{};
};

// PG_DIAG_… of an error or a notice; empty if it has no such field.
[[nodiscard]] std::string_view error_field(const PGresult* result, int which) noexcept;

struct Next {
    Wait wait = Wait::ready;
    ResultHandle result{};  // null when ready: there are no more
};

// What a question came to, when only its last answer is of interest.
struct Reply {
    Wait wait = Wait::ready;
    bool sent = false;
    ResultHandle error{};  // the first with a SQLSTATE, else the first
    ResultHandle last{};   // the last that was none

    [[nodiscard]] bool good() const noexcept {
        return sent && wait == Wait::ready && !error && last;
    }
};

// Used by one thread at a time. Movable.
class Link {
public:
    Link(ConnectionHandle connection, Clock& clock);

    [[nodiscard]] PGconn* get() const noexcept { return connection_.get(); }
    [[nodiscard]] Clock& clock() const noexcept { return *clock_; }
    [[nodiscard]] bool broken() const noexcept {
        return !connection_ || PQstatus(connection_.get()) == CONNECTION_BAD;
    }
    [[nodiscard]] PGTransactionStatusType transaction() const noexcept {
        return PQtransactionStatus(connection_.get());
    }
    // Looks whether the server has hung up, without waiting.
    [[nodiscard]] bool alive();
    // Already over before anything is sent?
    [[nodiscard]] Wait looked_at(const Bounds& bounds) const;

    // The next answer to what was sent; a wait that is cut off closes the link.
    [[nodiscard]] Next next(const Bounds& bounds);
    // Statements without parameters, in one round trip.
    [[nodiscard]] Reply ask(const char* statements, const Bounds& bounds);
    // All answers to what was sent.
    [[nodiscard]] Reply rest(const Bounds& bounds);

    // Until the socket is ready for what PQconnectPoll wants.
    [[nodiscard]] Wait connecting(const Bounds& bounds);

    [[nodiscard]] const Notices& notices() const noexcept { return *notices_; }
    void forget_warning() noexcept { notices_->warning.clear(); }
    // The server sees it and gives up what was going on.
    void close() noexcept { connection_.reset(); }

private:
    std::unique_ptr<Notices> notices_;
    ConnectionHandle connection_;
    Clock* clock_;
};

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
