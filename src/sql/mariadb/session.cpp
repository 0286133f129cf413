// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <array>
#include <charconv>

#include "perdure/time/random.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

constexpr unsigned read_only_transaction = 1792;
constexpr unsigned read_only_server = 1290;
constexpr std::string_view no_lock =
    "the session had no named lock (MariadbOptions::session_lock; not taken through a proxy)";

std::string new_lock_name() {
    std::array<char, 17> digits{};
    const std::uint64_t bits = system_random().bits() | (std::uint64_t{1} << 63u);  // 16 digits
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bits, 16).ptr;
    return "perdure-" + std::string{digits.data(), end};
}

// Before these a session could hold only one such lock, and the user's own would take ours away.
bool holds_many_locks(const Link& link) noexcept {
    const unsigned long version = mysql_get_server_version(link.handle());
    return version >= (link.dialect() == Dialect::mariadb ? 100002UL : 50705UL);
}

std::string text_at(const Batch& batch, std::size_t statement, std::size_t column) {
    if (statement >= batch.first_rows.size()) return {};
    const Texts& row = batch.first_rows[statement];
    return column < row.size() ? row[column].value_or("") : std::string{};
}

}  // namespace

MariadbSession::MariadbSession(const MariadbOptions& options, const Clock& clock)
    : messages_{options.messages},
      dead_after_{options.link_dead_after},
      session_lock_{options.session_lock},
      clock_{clock},
      shelf_{options.prepared_statements} {}

MariadbSession::~MariadbSession() {
    // Before the prepared statements, which would all be closed with a word of their own.
    if (state_ == State::idle) link_.close();
    else link_.drop();
}

Result<void> MariadbSession::open(const Place& place, const Target& target, const Bounds& bounds) {
    const Watch watch{clock_, bounds, Purpose::connecting};
    if (const Cut over = watch.over(); over != Cut::not_cut) return fail(too_late(over));
    if (const Trouble trouble = link_.open(place, target, dead_after_, watch); trouble.any())
        return fail(failure_from(trouble, During::connecting, messages_));
    const Batch batch = link_.ask(greeting(), watch);
    if (batch.trouble.any())
        return fail(failure_from(batch.trouble, During::connecting, messages_));
    if (link_.is_direct(text_at(batch, 1, 0)) || session_lock_ == SessionLock::always)
        PERDURE_TRY(meet_server(watch));
    state_ = State::idle;
    return {};
}

Result<void> MariadbSession::meet_server(const Watch& watch) {
    const bool wanted = session_lock_ != SessionLock::never && holds_many_locks(link_);
    std::string lock = wanted ? new_lock_name() : std::string{};
    const Batch batch = link_.ask(server_question(lock), watch);
    if (batch.trouble.any() && (batch.done == 0 || breaks_session(batch.trouble)))
        return fail(failure_from(batch.trouble, During::connecting, messages_));
    const std::string read_only = text_at(batch, 0, 0);
    read_only_server_ = !read_only.empty() && read_only != "0" && read_only != "OFF";
    where_ = text_at(batch, 0, 1);
    if (text_at(batch, 1, 0) == "1") lock_ = std::move(lock);
    return {};
}

bool MariadbSession::still_good() { return state_ == State::idle && link_.quiet(); }

Result<void> MariadbSession::ready(const Watch& watch) const {
    if (state_ == State::broken)
        return fail({.cause = Cause::unavailable,
                     .effect = Effect::none,
                     .origin = Origin::application,
                     .remedies = Remedy::fresh_connection,
                     .code = "broken",
                     .message = "the session was lost before"});
    if (state_ == State::failed) return fail(*failed_by_);
    if (const Cut over = watch.over(); over != Cut::not_cut) return fail(too_late(over));
    return {};
}

Result<void> MariadbSession::ready_and_idle(const Watch& watch) const {
    PERDURE_TRY(ready(watch));
    if (state_ != State::idle)
        return fail(misuse("in-transaction", "the session is in a transaction"));
    return {};
}

During MariadbSession::during() const noexcept {
    return state_ == State::open ? During::in_transaction : During::statement;
}

void MariadbSession::break_off() noexcept {
    link_.drop();
    shelf_.clear();
    state_ = State::broken;
}

Failure MariadbSession::failed(Trouble trouble, During during) {
    // Nobody asked for read-only: the server has become so.
    const bool demoted = trouble.number == read_only_transaction && access_ == Access::read_write;
    if (demoted) trouble.number = read_only_server;
    Failure failure = failure_from(trouble, during, messages_);
    if (demoted) failure.code = std::to_string(read_only_transaction);
    if (breaks_session(trouble)) {
        break_off();
    } else if (state_ == State::open && !leaves_open(trouble)) {
        state_ = State::failed;
        failed_by_ = failure;
    }
    return failure;
}

void MariadbSession::undo(const Watch& watch) noexcept {
    if (state_ == State::broken) return;
    const Batch batch = link_.ask("ROLLBACK", watch);
    if (batch.trouble.any() || link_.in_transaction()) return break_off();
    state_ = State::idle;
    failed_by_.reset();
}

// A failure after which nothing is left of the transaction.
Failure MariadbSession::undone(const Trouble& trouble, const Watch& watch) {
    Failure failure = failed(trouble, During::in_transaction);
    undo(watch);
    return failure;
}

Result<Batch> MariadbSession::ask(std::string_view text, const Watch& watch, During during) {
    Batch batch = link_.ask(text, watch);
    if (batch.trouble.any()) return fail(failed(batch.trouble, during));
    return batch;
}

Batch MariadbSession::open_transaction(const Beginning& how, std::size_t& token_at,
                                       const Watch& watch) {
    Beginning told = how;
    for (;;) {
        if (!takes_limits_) {
            told.statement_limit = told.lock_limit = told.idle_limit = never;
            limits_ = {};
        }
        const Opening words = opening(told, limits_, link_.dialect());
        token_at = words.token_at;
        Batch batch = link_.ask(words.text, watch);
        const bool set_first = words.text.starts_with("SET SESSION");
        if (set_first && batch.done > 0) limits_ = limits_of(told);
        // Something between us and the server, or an old server, that does not know a variable:
        // nothing has begun, and without limits it may.
        if (!set_first || batch.done > 0 || breaks_session(batch.trouble)) return batch;
        takes_limits_ = false;
    }
}

Result<Begun> MariadbSession::begin(const Beginning& how, const Bounds& bounds) {
    if (how.token) PERDURE_TRY(check_table(how.token_table));
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready_and_idle(watch));
    access_ = how.access;
    std::size_t token_at = 0;
    const Batch batch = open_transaction(how, token_at, watch);
    if (!batch.trouble.any()) {
        state_ = State::open;
        return Begun{.doubt = {.session = lock_,
                               .fence = where_,
                               .missing = lock_.empty() ? std::string{no_lock} : std::string{}}};
    }
    const bool at_token = how.token && batch.done == token_at;
    Failure failure = undone(batch.trouble, watch);
    if (at_token && batch.trouble.number == duplicate_key) {
        PERDURE_TRY_VALUE(const TokenRow row, token_row(*how.token, how.token_table, watch));
        return Begun{.what = Beginnings::token_taken, .taken = row};
    }
    if (at_token && batch.trouble.number == no_such_column)
        return fail(token_table_old(how.token_table, batch.trouble));
    if (at_token && batch.trouble.number == no_such_table)
        return fail(token_table_missing(how.token_table, batch.trouble));
    return fail(std::move(failure));
}

Result<void> MariadbSession::commit(const Bounds& bounds) {
    const Watch watch{clock_, bounds};
    if (state_ == State::open) {
        // Not sent: what was begun can only be undone.
        if (const Cut over = watch.over(); over != Cut::not_cut) {
            state_ = State::failed;
            failed_by_ = too_late(over);
        }
    }
    PERDURE_TRY(ready(watch));
    if (state_ != State::open)
        return fail(misuse("no-transaction", "there is no transaction to commit"));
    // A link that ended before COMMIT was sent is no doubt; one that ends afterwards is.
    Batch batch;
    if (link_.quiet()) batch = link_.ask("COMMIT", watch);
    else
        batch.trouble = {
            .number = gone_away, .text = "the session ended before COMMIT", .unsent = true};
    if (!batch.trouble.any()) {
        state_ = State::idle;
        // Where the server chains transactions, the next one has begun.
        if (link_.in_transaction()) undo(watch);
        return {};
    }
    Failure failure = failed(batch.trouble, During::committing);
    if (failure.effect == Effect::none) undo(watch);
    else break_off();
    return fail(std::move(failure));
}

void MariadbSession::roll_back(const Bounds& bounds) noexcept {
    if (state_ == State::idle || state_ == State::broken) return;
    const Watch watch{clock_, bounds};
    if (watch.over() != Cut::not_cut) return break_off();
    undo(watch);
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
