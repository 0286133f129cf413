// SPDX-License-Identifier: Apache-2.0
#include "trouble.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

constexpr unsigned tls_failed = 2026;
constexpr unsigned cannot_connect = 2002;
constexpr unsigned too_large_to_send = 2020;

template <std::size_t count>
constexpr bool one_of(const std::array<unsigned, count>& sorted, unsigned number) noexcept {
    return std::ranges::binary_search(sorted, number);
}

// The library's own: the server did not say it.
constexpr bool of_library(unsigned number) noexcept {
    return (number >= 2000 && number < 3000) || (number >= 5000 && number < 6000);
}

const ErrorRow& row_for(unsigned number) noexcept {
    return row_of(Product::mariadb, std::to_string(number));
}

// Messages of these name tables, columns, keys and limits; no value stands in them.
constexpr std::array<unsigned, 46> harmless{
    1020, 1040, 1046, 1047, 1048, 1049, 1050, 1051, 1052, 1053, 1054, 1072, 1091, 1094, 1095, 1109,
    1129, 1130, 1136, 1146, 1153, 1158, 1159, 1160, 1161, 1180, 1203, 1205, 1213, 1226, 1227, 1264,
    1290, 1295, 1305, 1317, 1364, 1365, 1406, 1451, 1452, 1615, 1792, 1836, 1927, 1969};

// "Access denied for user 'ada'@'10.0.0.7' …": no value, but a user.
constexpr std::array<unsigned, 6> names_user{1044, 1045, 1142, 1143, 1370, 1698};

// Answers to COMMIT after which the transaction is surely gone.
constexpr std::array<unsigned, 14> undone{1020, 1047, 1205, 1213, 1290, 1297, 1317,
                                          1614, 1792, 1836, 1969, 3024, 3100, 3101};

// "… for key 'account.PRIMARY'": what stands between the last pair of quotes after `before`.
std::string quoted_after(std::string_view text, std::string_view before) {
    const std::size_t at = text.rfind(before);
    if (at == std::string_view::npos) return {};
    std::string_view rest = text.substr(at + before.size());
    if (rest.starts_with('\'')) rest = rest.substr(1, rest.substr(1).find('\''));
    const std::size_t end = rest.find(" at row");
    return std::string{rest.substr(0, end)};
}

// Empty where the name cannot be found. A name may have quotes in it, so the last "'@'" counts.
std::string without_user(std::string text) {
    constexpr std::string_view before = "user '";
    const std::size_t from = text.find(before);
    const std::size_t to = text.rfind("'@'");
    if (from == std::string::npos || to == std::string::npos || to < from + before.size())
        return {};
    return text.replace(from + before.size(), to - from - before.size(), "…");
}

std::string redacted(const Trouble& trouble) {
    std::string text{row_for(trouble.number).name};
    if (one_of(names_user, trouble.number)) {
        std::string said = without_user(trouble.text);
        return said.empty() ? text : said;
    }
    switch (trouble.number) {
        case 1022:
        case duplicate_key: {
            const std::string key = quoted_after(trouble.text, "for key ");
            return key.empty() ? text : text + ": " + key;
        }
        case 1366: {
            const std::string column = quoted_after(trouble.text, "for column ");
            return column.empty() ? text : text + ": column " + column;
        }
        case 1064: {
            const std::size_t line = trouble.text.rfind(" at line ");
            return line == std::string::npos ? text : text + trouble.text.substr(line);
        }
        default: return text;
    }
}

Failure cut_off(Cut cut, During during) {
    const bool sent = cut == Cut::deadline_sent || cut == Cut::stop_sent;
    const bool stopped = cut == Cut::stop_sent || cut == Cut::stop_unsent;
    const bool alone = during == During::statement || during == During::committing;
    return {.cause = stopped ? Cause::cancelled : Cause::timed_out,
            .effect = sent && alone ? Effect::unknown : Effect::none,
            .origin = Origin::application,
            .remedies = Remedy::fresh_connection,
            .code = stopped ? "stopped" : "deadline",
            .message = stopped ? "the caller asked to stop"
                       : sent  ? "no answer came before the deadline"
                               : "the deadline passed before the command was sent"};
}

// A certificate that is refused will be refused again; a link that broke in the handshake will not.
bool distrusted(const Trouble& trouble) noexcept {
    return trouble.number == tls_failed &&
           (trouble.text.find("certificate") != std::string::npos ||
            trouble.text.find("does not support") != std::string::npos);
}

}  // namespace

bool breaks_session(const Trouble& trouble) noexcept {
    if (trouble.cut != Cut::not_cut) return true;
    // The library's own words about a statement, on a link that is as good as before.
    constexpr std::array<unsigned, 2> harmless_to_link{too_large_to_send, columns_changed};
    if (one_of(harmless_to_link, trouble.number)) return false;
    return of_library(trouble.number) || row_for(trouble.number).reactions.has(Reaction::discard);
}

bool leaves_open(const Trouble& trouble) noexcept {
    if (breaks_session(trouble)) return false;
    // Said with a general SQLSTATE, but about one statement only.
    constexpr std::array<unsigned, 8> general{1265, not_preparable, 1364, 1366,
                                              1411, 1644,           2020, 4025};
    return trouble.state.starts_with("22") || trouble.state.starts_with("23") ||
           trouble.state.starts_with("42") || trouble.state.starts_with("21") ||
           one_of(general, trouble.number);
}

bool is_rolled_back(const Trouble& trouble) noexcept {
    if (trouble.cut != Cut::not_cut)
        return trouble.cut == Cut::deadline_unsent || trouble.cut == Cut::stop_unsent;
    return trouble.unsent || one_of(undone, trouble.number);
}

std::string shown(const Trouble& trouble, MariadbMessages messages) {
    const bool whole = messages == MariadbMessages::whole || of_library(trouble.number) ||
                       one_of(harmless, trouble.number);
    if (!whole) return redacted(trouble);
    // Connector/C adds the error of another call to it: "(115)", in progress, of a refused one.
    return trouble.number == cannot_connect ? trouble.text.substr(0, trouble.text.rfind(" (115)"))
                                            : trouble.text;
}

Failure failure_from(const Trouble& trouble, During during, MariadbMessages messages) {
    if (trouble.cut != Cut::not_cut) return cut_off(trouble.cut, during);
    std::string code = std::to_string(trouble.number);
    if (during == During::connecting && distrusted(trouble))
        return {.cause = Cause::forbidden,
                .origin = Origin::network,
                .code = std::move(code),
                .message = shown(trouble, messages)};
    Failure failure = failure_of(row_for(trouble.number), during, shown(trouble, messages), code);
    if (during == During::connecting && failure.cause == Cause::credentials)
        failure.message += "; check user and password in the URL, MYSQL_PWD or the option file";
    if (trouble.number == prepared_too_old || trouble.number == columns_changed) {
        // The prepared statement is older than its table; prepared anew it will do. The server has
        // run it where only the shape of its rows is the surprise.
        failure = {.cause = Cause::contended,
                   .effect = trouble.number == columns_changed && during == During::statement
                                 ? Effect::unknown
                                 : Effect::none,
                   .code = std::move(code),
                   .message = "a table changed its shape since the statement was prepared: " +
                              shown(trouble, messages)};
    }
    // Connector/C 3.3 says "gone away" of a command that it could not write; other versions may say it
    // of one they wrote in part or whole.
    if (trouble.unsent) failure.effect = Effect::none;
    if (during == During::committing) {
        // Only what is known to mean a rollback is taken for one.
        failure.effect = is_rolled_back(trouble) ? Effect::none : Effect::unknown;
    }
    return failure;
}

Failure too_late(Cut cut) { return cut_off(cut, During::connecting); }

Failure token_table_missing(std::string_view table, const Trouble& trouble) {
    const std::string name{table};
    return {.cause = Cause::invalid,
            .code = std::to_string(trouble.number),
            .message = "the token table " + name +
                       " does not exist: let it be created (.tokens = {.use = TokenUse::create}) "
                       "or run the statement in docs/guide/sql.md (" +
                       trouble.text + ")"};
}

Failure token_table_old(std::string_view table, const Trouble& trouble) {
    const std::string name{table};
    return {.cause = Cause::invalid,
            .code = std::to_string(trouble.number),
            .message =
                "the token table " + name +
                " is of an earlier version: let it be changed by a user who may alter it (.tokens "
                "= {.use = TokenUse::create}), or let such a user run ALTER TABLE " +
                name + " ADD COLUMN attempt_id BINARY(16) (" +
                shown(trouble, MariadbMessages::redacted) + ")"};
}

Failure misuse(std::string_view code, std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = std::string{code},
            .message = std::move(message)};
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
