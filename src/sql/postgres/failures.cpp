// SPDX-License-Identifier: Apache-2.0
#include "failures.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "perdure/net/failures.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// Classes whose messages name things and situations, never values.
bool quotes_no_values(std::string_view code) noexcept {
    static constexpr std::array<std::string_view, 21> safe{
        "01", "08", "0A", "25", "26", "28", "2B", "34", "3B", "3D", "3F",
        "40", "42", "53", "54", "55", "57", "58", "72", "F0", "XX"};
    return std::ranges::find(safe, code.substr(0, 2)) != safe.end();
}

std::string without_user(std::string text, std::string_view user) {
    const std::string quoted = "\"" + std::string{user} + "\"";
    for (auto at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1))
        text.replace(at + 1, user.size(), "…");
    return text;
}

// "unique violation (constraint account_pkey, table account)"
std::string named(const PGresult* error, const ErrorRow& row) {
    static constexpr std::array<std::pair<int, std::string_view>, 4> things{
        {{PG_DIAG_CONSTRAINT_NAME, "constraint "},
         {PG_DIAG_TABLE_NAME, "table "},
         {PG_DIAG_COLUMN_NAME, "column "},
         {PG_DIAG_DATATYPE_NAME, "type "}}};
    std::string text{row.name};
    std::string_view before = " (";
    for (const auto& [which, what] : things) {
        if (error_field(error, which).empty()) continue;
        text.append(before).append(what).append(error_field(error, which));
        before = ", ";
    }
    if (before == ", ") text += ')';
    return text;
}

std::string message_of(const PGresult* error, const ErrorRow& row, const Wording& wording) {
    const std::string_view said = error_field(error, PG_DIAG_MESSAGE_PRIMARY);
    if (wording.messages == PostgresMessages::whole || quotes_no_values(sqlstate(error)))
        return without_user(std::string{said}, wording.user);
    return named(error, row);
}

constexpr std::string_view where_passwords_are = "PGPASSWORD, ~/.pgpass or the URL";

std::string_view first_line(std::string_view text) noexcept {
    return text.substr(0, text.find('\n'));
}

// `connection to server at "10.0.0.7", port 5432 failed: Connection refused`: the driver names the
// server itself.
std::string_view without_server(std::string_view line) noexcept {
    constexpr std::string_view end = " failed: ";
    const std::size_t at = line.find(end);
    const bool named = line.starts_with("connection to server ") && at != std::string_view::npos;
    return named ? line.substr(at + end.size()) : line;
}

// The rest of the line that begins with `label`; empty if there is none.
std::string_view line_after(std::string_view text, std::string_view label) noexcept {
    const std::size_t at = text.find(label);
    return at == std::string_view::npos ? std::string_view{}
                                        : first_line(text.substr(at + label.size()));
}

Failure no_password(std::string message) {
    message.append("; the server demands a password: set ").append(where_passwords_are);
    return sql::failure_of(row_of(Product::postgres, "no-password"), During::connecting,
                           std::move(message));
}

// libpq gives the system's errors in the system's words; its own words are in the user's language.
Failure unreachable(std::string text) {
    for (const int error : {ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ECONNRESET, ETIMEDOUT, ENOENT,
                            EACCES, EPIPE, EADDRNOTAVAIL, EMFILE, EAGAIN}) {
        if (text.find(std::generic_category().message(error)) == std::string::npos) continue;
        Failure failure = net::failure_of(error, net::Doing::connecting);
        failure.rule = "connect";
        failure.message = std::move(text);
        return failure;
    }
    const auto says = [&text](std::string_view words) {
        return text.find(words) != std::string::npos;
    };
    // These last until the server or the settings are changed.
    const bool settled = says("certificate") || says("does not support SSL") ||
                         says("must be specified") || says("host name");
    if (!settled && !says("SSL")) {
        Failure failure =
            sql::failure_of(row_of(Product::postgres, ""), During::connecting, std::move(text));
        failure.origin = Origin::network;
        return failure;
    }
    return {.cause = settled ? Cause::forbidden : Cause::unavailable,
            .effect = Effect::none,
            .origin = Origin::network,
            .code = says("certificate") ? "tls-certificate" : "tls",
            .message = std::move(text)};
}

}  // namespace

std::string_view sqlstate(const PGresult* result) noexcept {
    return error_field(result, PG_DIAG_SQLSTATE);
}

bool is_fatal(const PGresult* result) noexcept {
    const std::string_view severity = error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity == "FATAL" || severity == "PANIC";
}

bool is_stale_statement(const PGresult* result) noexcept {
    const std::string_view code = sqlstate(result);
    return code == "26000" || code == "42P05" ||
           (code == "0A000" &&
            error_field(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery");
}

const ErrorRow& row_of_error(std::string_view code, std::string_view text,
                             std::string_view function) noexcept {
    constexpr auto postgres_product = Product::postgres;
    const auto says = [text](std::string_view words) {
        return text.find(words) != std::string_view::npos;
    };
    // The text is in the server's language, the name of the function is not.
    if (code == "0A000" && function == "RevalidateCachedQuery")
        return row_of(postgres_product, "0A000:plan");
    // Forgotten with all the others, then made anew under another name.
    if (code == "42P05") return row_of(postgres_product, "26000");
    if (code == "08P01" && says("startup parameter"))
        return row_of(postgres_product, "08P01:startup");
    if (code == "08P01" && (says("query_wait_timeout") || says("max_client_conn") ||
                            says("no more connections") || says("cannot connect to server") ||
                            says("login has been failing") || says("client_login_timeout")))
        return row_of(postgres_product, "08P01:limit");
    return row_of(postgres_product, code);
}

Failure answered(const PGresult* error, During during, const Wording& wording) {
    const std::string_view code = sqlstate(error);
    const ErrorRow& row = row_of_error(code, error_field(error, PG_DIAG_MESSAGE_PRIMARY),
                                       error_field(error, PG_DIAG_SOURCE_FUNCTION));
    Failure failure =
        sql::failure_of(row, during, message_of(error, row, wording), std::string{code});
    // A session that ends with the answer may have done the work before.
    const bool by_itself = during == During::statement || during == During::committing;
    if (by_itself && is_fatal(error) && !row.reactions.has(Reaction::connect))
        failure.effect = Effect::unknown;
    return failure;
}

Failure lost(const Notices& notices, During during, std::string_view libpq_text) {
    std::string message = "the connection to the server was lost";
    const std::string_view said = libpq_text.empty() ? notices.farewell_text : libpq_text;
    if (!said.empty()) message.append(": ").append(first_line(said));
    Failure failure = sql::failure_of(row_of(Product::postgres, notices.farewell), during,
                                      std::move(message), notices.farewell);
    failure.origin = Origin::network;
    const bool by_itself = during == During::statement || during == During::committing;
    failure.effect = by_itself ? Effect::unknown : Effect::none;
    return failure;
}

Failure not_sent(const Notices& notices) {
    Failure failure = lost(notices, During::in_transaction);
    failure.message = "nothing was sent: the connection to the server is gone";
    if (!notices.farewell_text.empty()) failure.message += ": " + notices.farewell_text;
    return failure;
}

Failure cut_off(Wait wait, During during) {
    const bool stopped = wait == Wait::stopped;
    Failure failure =
        sql::failure_of(row_of(Product::postgres, stopped ? "stopped" : "deadline"), during,
                        stopped ? "stopped while waiting for the server"
                                : "the server had not answered by the deadline");
    failure.origin = Origin::application;
    return failure;
}

Failure too_late(Wait wait) {
    Failure failure = cut_off(wait, During::in_transaction);
    failure.remedies = {};
    failure.message = wait == Wait::stopped ? "stopped before anything was sent"
                                            : "the deadline had passed before anything was sent";
    return failure;
}

Failure failure_of(const Reply& reply, const Link& link, During during, const Wording& wording) {
    if (reply.wait != Wait::ready)
        return reply.sent ? cut_off(reply.wait, during) : too_late(reply.wait);
    if (!reply.sent) return not_sent(link.notices());
    if (reply.error && !sqlstate(reply.error.get()).empty())
        return answered(reply.error.get(), during, wording);
    return lost(link.notices(), during,
                reply.error ? PQresultErrorMessage(reply.error.get()) : std::string_view{});
}

// With the highest verbosity a refusal reads "… FATAL:  53300: sorry, too many clients already" and
// goes on with the place in the server's source.
Failure refused_entry(const FailedLogin& login, const Wording& wording) {
    const std::string_view text = login.text;
    for (std::size_t at = text.find(":  "); at != std::string_view::npos;
         at = text.find(":  ", at + 1)) {
        const std::string_view code = text.substr(at + 3, 5);
        const bool plain = code.size() == 5 && std::ranges::all_of(code, [](char c) {
                               return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                           });
        if (!plain || !text.substr(at + 8).starts_with(": ")) continue;
        // Before the login no statement was sent, so the text quotes no values.
        std::string message{first_line(text.substr(at + 10))};
        const ErrorRow& row = row_of_error(code, message);
        if (const auto detail = line_after(text, "\nDETAIL:  "); !detail.empty())
            message.append("; ").append(detail);
        if (const auto file = line_after(text, "\npassword retrieved from file "); !file.empty())
            message.append("; password retrieved from file ").append(file);
        else if (code == "28P01" && login.used_password)
            message.append("; check the password in ").append(where_passwords_are);
        return sql::failure_of(row, During::connecting,
                               without_user(std::move(message), wording.user), std::string{code});
    }
    std::string shown = without_user(std::string{without_server(first_line(text))}, wording.user);
    if (login.needs_password) return no_password(std::move(shown));
    return unreachable(std::move(shown));
}

Failure invalid(std::string code, std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = std::move(code),
            .message = std::move(message)};
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
