// SPDX-License-Identifier: Apache-2.0
//
// What does an error of PostgreSQL, of a pooler or of libpq come to?
#pragma once

#include <string>
#include <string_view>

#include "link.hpp"
#include "perdure/sql/error_table.hpp"
#include "perdure/sql/postgres.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// What may be shown.
struct Wording {
    PostgresMessages messages = PostgresMessages::redacted;
    std::string_view user{};  // never shown
};

// "23505", or nothing if it is an error of libpq's own.
[[nodiscard]] std::string_view sqlstate(const PGresult* result) noexcept;
// The session ends with it.
[[nodiscard]] bool is_fatal(const PGresult* result) noexcept;
// A prepared statement that the server does not have, or not like this any more.
[[nodiscard]] bool is_stale_statement(const PGresult* result) noexcept;
// The row that serves it; PgBouncer has one code for everything and must be taken at its word.
[[nodiscard]] const ErrorRow& row_of_error(std::string_view code, std::string_view text,
                                           std::string_view function = {}) noexcept;

// An error the server answered with.
[[nodiscard]] Failure answered(const PGresult* error, During during, const Wording& wording);
// No answer: the connection is gone. The code is that of the server's last notice; the message ends
// with `libpq_text` or, without one, with the notice's text.
[[nodiscard]] Failure lost(const Notices& notices, During during, std::string_view libpq_text = {});
// Nothing was sent, because the link is known to be gone.
[[nodiscard]] Failure not_sent(const Notices& notices);
// We gave up waiting.
[[nodiscard]] Failure cut_off(Wait wait, During during);
// It was over before anything was sent; the session is as good as before.
[[nodiscard]] Failure too_late(Wait wait);
// Whatever a reply that is not good means.
[[nodiscard]] Failure failure_of(const Reply& reply, const Link& link, During during,
                                 const Wording& wording);

// What libpq knows of a login that failed: PQerrorMessage with the highest verbosity,
// PQconnectionNeedsPassword and PQconnectionUsedPassword.
struct FailedLogin {
    std::string_view text{};
    bool needs_password = false;  // the server demanded one, and none was found
    bool used_password = false;
};
// A connection that could not be made. The message keeps the server's or libpq's own text.
[[nodiscard]] Failure refused_entry(const FailedLogin& login, const Wording& wording);

[[nodiscard]] Failure invalid(std::string code, std::string message);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
