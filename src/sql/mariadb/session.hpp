// SPDX-License-Identifier: Apache-2.0
//
// How does a session of MariaDB or MySQL keep the promises of sql/session.hpp?
//
// It keeps its own account of the transaction: the server's flag is stale after an error. And on a
// direct connection it holds a named lock of the server's, by which others can tell whether it still
// lives: the server frees such locks when a session ends, after it has rolled back.
#pragma once

#include <optional>
#include <string>

#include "link.hpp"
#include "perdure/sql/session.hpp"
#include "phrases.hpp"
#include "shelf.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

class MariadbSession final : public Session {
public:
    MariadbSession(const MariadbOptions& options, const Clock& clock);
    ~MariadbSession() override;

    // Once, before all else. Failures have effect none.
    [[nodiscard]] Result<void> open(const Place& place, const Target& target, const Bounds& bounds);
    [[nodiscard]] bool on_read_only_server() const noexcept { return read_only_server_; }

    [[nodiscard]] bool still_good() override;
    [[nodiscard]] State state() const noexcept override { return state_; }
    [[nodiscard]] Result<Done> run(const Statement& statement, RowSink& rows,
                                   const Bounds& bounds) override;
    [[nodiscard]] Result<Begun> begin(const Beginning& how, const Bounds& bounds) override;
    [[nodiscard]] Result<void> commit(const Bounds& bounds) override;
    void roll_back(const Bounds& bounds) noexcept override;
    [[nodiscard]] Result<Landed<TokenRow>> probe(const Token& token, std::string_view table,
                                                 Duration wait, const Bounds& bounds) override;
    [[nodiscard]] Result<Landed<void>> outcome_of(const Doubt& doubt,
                                                  const Bounds& bounds) override;
    [[nodiscard]] Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] Result<void> make_tokens(std::string_view table, const Bounds& bounds) override;
    [[nodiscard]] Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                              const Bounds& bounds) override;

private:
    [[nodiscard]] Result<Purged> purge_range(std::string_view table, const PurgeBatch& which,
                                             const Watch& watch);
    class Unfinished;

    // What open() asks a server that it reached directly.
    [[nodiscard]] Result<void> meet_server(const Watch& watch);
    // Whether anything may be sent at all, in the state that is needed.
    [[nodiscard]] Result<void> ready(const Watch& watch) const;
    [[nodiscard]] Result<void> ready_and_idle(const Watch& watch) const;
    [[nodiscard]] During during() const noexcept;
    // The failure of a trouble, after the account has been brought up to it.
    [[nodiscard]] Failure failed(Trouble trouble, During during);
    [[nodiscard]] Failure undone(const Trouble& trouble, const Watch& watch);
    void undo(const Watch& watch) noexcept;
    void break_off() noexcept;

    [[nodiscard]] Result<void> fit_limits(const Watch& watch, const Bounds& bounds);
    // Null: the server takes it only as plain text.
    [[nodiscard]] Result<std::shared_ptr<Prepared>> prepared(const Statement& statement,
                                                             const Watch& watch);
    [[nodiscard]] Result<Done> run_prepared(Prepared& prepared, const Statement& statement,
                                            RowSink& rows, const Watch& watch);
    [[nodiscard]] Result<Done> give_rows(Prepared& prepared, RowSink& rows, const Watch& watch);
    [[nodiscard]] Result<Done> run_plain(const Statement& statement, RowSink& rows,
                                         const Watch& watch);
    [[nodiscard]] Result<void> account(const Watch& watch);
    [[nodiscard]] Batch open_transaction(const Beginning& how, std::size_t& token_at,
                                         const Watch& watch);
    // Of a token that was found taken.
    [[nodiscard]] Result<TokenRow> token_row(const Token& token, std::string_view table,
                                             const Watch& watch);
    [[nodiscard]] Result<void> add_column(std::string_view table, const Watch& watch);
    [[nodiscard]] Result<Batch> ask(std::string_view text, const Watch& watch, During during);

    MariadbMessages messages_;
    Duration dead_after_;
    SessionLock session_lock_;
    const Clock& clock_;
    Link link_;
    Shelf shelf_;  // after the link: closed before it
    State state_ = State::broken;
    std::optional<Failure> failed_by_;  // in State::failed
    Limits limits_;
    bool takes_limits_ = true;
    Access access_ = Access::read_write;
    bool read_only_server_ = false;
    std::string lock_;   // empty: none
    std::string where_;  // which server it is
};

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
