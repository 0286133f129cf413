// SPDX-License-Identifier: Apache-2.0
//
// Statements of a session: prepared, or as plain text where the server takes them only so.
#include <algorithm>
#include <charconv>
#include <exception>

#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

// Rows read to no end so that the session can be kept; beyond, dropping it is cheaper.
constexpr int most_thrown_away = 1000;
constexpr int rows_between_looks = 64;

bool releases_locks(std::string_view text) noexcept {
    constexpr std::string_view call = "release_all_locks";
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    // Not std::ranges::search: clang 14 cannot compile it with this standard library.
    return std::search(text.begin(), text.end(), call.begin(), call.end(), same) != text.end();
}

Failure wrong_count(std::size_t placeholders, std::size_t given) {
    return misuse("parameter-count", "the statement has " + std::to_string(placeholders) +
                                         " placeholders, " + std::to_string(given) +
                                         " parameters were given");
}

Trouble out_of_time(Cut over) noexcept {
    return {.cut = over == Cut::stop_unsent ? Cut::stop_sent : Cut::deadline_sent};
}

Cell plain_cell(const MYSQL_FIELD& field, std::string_view text) {
    constexpr unsigned binary_charset = 63;
    const bool is_number = IS_NUM(field.type) && field.type != MYSQL_TYPE_NEWDECIMAL;
    const char* const start = text.data();
    const char* const end = start + text.size();
    if (is_number && field.type != MYSQL_TYPE_FLOAT && field.type != MYSQL_TYPE_DOUBLE) {
        std::int64_t value = 0;
        if (std::from_chars(start, end, value).ec == std::errc{}) return Cell::of(value);
    } else if (is_number) {
        double value = 0;
        if (std::from_chars(start, end, value).ec == std::errc{}) return Cell::of(value);
    } else if (IS_BLOB(field.flags) && field.charsetnr == binary_charset) {
        return Cell::bytes(text);
    }
    return Cell::text(text);
}

}  // namespace

// The sink is foreign code: if it throws, rows are left on the link that nobody will read.
class MariadbSession::Unfinished {
public:
    explicit Unfinished(MariadbSession& session) noexcept
        : session_{session}, thrown_{std::uncaught_exceptions()} {}
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        if (std::uncaught_exceptions() > thrown_) session_.break_off();
    }

private:
    MariadbSession& session_;
    int thrown_;
};

Result<void> MariadbSession::fit_limits(const Watch& watch, const Bounds& bounds) {
    if (!takes_limits_) return {};
    const Limits wanted = limits_alone(bounds.deadline.left(clock_.now()), limits_);
    const std::string text = set_limits(wanted, limits_, link_.dialect());
    if (text.empty()) return {};
    const Batch batch = link_.ask(text, watch);
    if (breaks_session(batch.trouble)) return fail(failed(batch.trouble, During::in_transaction));
    takes_limits_ = !batch.trouble.any();
    limits_ = wanted;
    return {};
}

Result<std::shared_ptr<Prepared>> MariadbSession::prepared(const Statement& statement,
                                                           const Watch& watch) {
    std::shared_ptr<Prepared> found = shelf_.find(statement.text);
    if (!found) {
        if (releases_locks(statement.text)) {
            // The doubt of the transaction under way counts on our lock.
            if (state_ == State::open)
                return fail(misuse("release-all-locks",
                                   "RELEASE_ALL_LOCKS in a transaction would take away the lock by "
                                   "which this session is known; name the locks to release"));
            lock_.clear();
        }
        found = std::make_shared<Prepared>(*link_.handle());
        if (!found->prepare(statement.text)) {
            const Trouble trouble = found->trouble(watch);
            if (trouble.number == not_preparable && statement.parameters.empty())
                return std::shared_ptr<Prepared>{};
            // Preparing has no effect, whatever became of the answer.
            return fail(failed(trouble, During::in_transaction));
        }
        shelf_.keep(statement.text, found);
    }
    if (found->placeholders() != statement.parameters.size())
        return fail(wrong_count(found->placeholders(), statement.parameters.size()));
    return found;
}

Result<Done> MariadbSession::run(const Statement& statement, RowSink& rows, const Bounds& bounds) {
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready(watch));
    if (state_ == State::idle) {
        access_ = Access::read_write;
        PERDURE_TRY(fit_limits(watch, bounds));
    }
    PERDURE_TRY_VALUE(const std::shared_ptr<Prepared> ready_made, prepared(statement, watch));
    auto done = ready_made ? run_prepared(*ready_made, statement, rows, watch)
                           : run_plain(statement, rows, watch);
    if (done) PERDURE_TRY(account(watch));
    return done;
}

Result<Done> MariadbSession::run_prepared(Prepared& prepared, const Statement& statement,
                                          RowSink& rows, const Watch& watch) {
    if (!prepared.execute(statement.parameters)) {
        const Trouble trouble = prepared.trouble(watch);
        if (trouble.number == prepared_too_old || trouble.number == columns_changed) {
            (void)prepared.finish();
            shelf_.forget(statement.text);
        }
        return fail(failed(trouble, during()));
    }
    Done done = prepared.done();
    if (prepared.gives_rows()) {
        PERDURE_TRY_VALUE(done, give_rows(prepared, rows, watch));
    }
    if (!prepared.finish()) return fail(failed(prepared.trouble(watch), during()));
    return done;
}

Result<Done> MariadbSession::give_rows(Prepared& prepared, RowSink& rows, const Watch& watch) {
    const Unfinished unfinished{*this};
    std::vector<std::string_view> names;
    if (!prepared.look_at_columns(names)) return fail(failed(prepared.trouble(watch), during()));
    Result<void> taken = rows.columns(names);
    std::vector<Cell> cells;
    std::int64_t count = 0;
    int thrown_away = 0;
    for (;;) {
        const Prepared::Fetched fetched = prepared.fetch(cells);
        if (fetched == Prepared::Fetched::failed)
            return taken ? fail(failed(prepared.trouble(watch), during()))
                         : (break_off(), taken.take_failure());
        if (fetched == Prepared::Fetched::end) break;
        if (taken) taken = rows.row(cells);
        else ++thrown_away;
        const Cut over = ++count % rows_between_looks == 0 ? watch.over() : Cut::not_cut;
        if (thrown_away > most_thrown_away || (!taken && over != Cut::not_cut)) {
            break_off();
            return taken.take_failure();
        }
        // Rows that are always there are never waited for.
        if (over != Cut::not_cut) return fail(failed(out_of_time(over), during()));
    }
    if (!taken) {
        if (!prepared.finish()) break_off();
        return taken.take_failure();
    }
    return Done{.affected = count};
}

Result<Done> MariadbSession::run_plain(const Statement& statement, RowSink& rows,
                                       const Watch& watch) {
    MYSQL* const mysql = link_.handle();
    Watch::begin_command();
    if (mysql_real_query(mysql, statement.text.data(), statement.text.size()) != 0)
        return fail(failed(link_.trouble(watch), during()));
    const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> result{mysql_store_result(mysql),
                                                                  mysql_free_result};
    if (!result) {
        if (mysql_errno(mysql) != 0) return fail(failed(link_.trouble(watch), during()));
        return Done{.affected = static_cast<std::int64_t>(mysql_affected_rows(mysql)),
                    .last_id = static_cast<std::int64_t>(mysql_insert_id(mysql))};
    }
    const unsigned count = mysql_num_fields(result.get());
    const MYSQL_FIELD* fields = mysql_fetch_fields(result.get());
    std::vector<std::string_view> names;
    for (unsigned i = 0; i < count; ++i) names.emplace_back(fields[i].name, fields[i].name_length);
    PERDURE_TRY(rows.columns(names));
    Done done;
    std::vector<Cell> cells(count);
    while (MYSQL_ROW row = mysql_fetch_row(result.get())) {
        const unsigned long* lengths = mysql_fetch_lengths(result.get());
        for (unsigned i = 0; i < count; ++i)
            cells[i] = row[i] ? plain_cell(fields[i], {row[i], lengths[i]}) : Cell{};
        PERDURE_TRY(rows.row(cells));
        ++done.affected;
    }
    return done;
}

// Whether the transaction is what it was before the statement.
Result<void> MariadbSession::account(const Watch& watch) {
    const bool in_transaction = link_.in_transaction();
    if (state_ == State::open && !in_transaction) {
        failed_by_ = misuse("implicit-commit",
                            "the statement ended the transaction, and what was done before it may "
                            "be committed: run statements like CREATE and ALTER outside transact");
        failed_by_->effect = Effect::unknown;
        state_ = State::failed;
        return fail(*failed_by_);
    }
    if (state_ == State::idle && in_transaction) {
        undo(watch);
        return fail(misuse("own-transaction",
                           "the statement began a transaction and was rolled back: use transact"));
    }
    return {};
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
