// SPDX-License-Identifier: Apache-2.0
//
// What must a database be able to do to be driven by us? One session: statements, a transaction, and
// what is needed to find out about a lost COMMIT.
//
//     auto begun = session.begin({.token = &token}, bounds);      // one round trip
//     session.run(statement, sink, bounds);
//     session.commit(bounds);                                     // a failure's effect tells all
//
// Sessions never repeat anything. Their failures are classified by the database's table
// (error_table.hpp): cause, effect, remedies and rule are final when they come out of here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/landed.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/sql/statement.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Isolation : std::uint8_t {
    server_default,
    read_committed,
    repeatable_read,
    serializable
};
enum class Access : std::uint8_t { read_write, read_only };
// What to note down before COMMIT so that the server itself can be asked later.
enum class Noting : std::uint8_t { nothing, transaction };

// What a transaction begins with. All of it goes in one round trip where there are round trips.
struct Beginning {
    Isolation isolation = Isolation::server_default;
    Access access = Access::read_write;
    const Token* token = nullptr;       // inserted before the first statement that takes a snapshot
    const Token* attempt_id = nullptr;  // written beside the token: whose row it is
    std::string_view token_table = "perdure_token";
    Noting noting = Noting::nothing;
    // Limits for the server, so that it does not work for us when we have gone: of one statement, of
    // a wait for a lock, of an idle transaction. `never`: the server's own.
    Duration statement_limit = never;
    Duration lock_limit = never;
    Duration idle_limit = never;
};

// All that is known of a transaction whose COMMIT was not answered. Opaque outside its driver.
struct Doubt {
    std::string session{};      // how the server knows the session
    std::string transaction{};  // and the transaction
    std::string fence{};        // changes when `transaction` may mean another one
    std::string missing{};      // why this server cannot be asked about it, in words; empty: it can
};

// What a committed transaction left in the token table.
struct TokenRow {
    // The Beginning::attempt_id of who wrote it. Empty: written without one, or this role may not read
    // the table.
    std::optional<Token> attempt_id{};
};

// Which tokens to delete: the oldest ones.
struct PurgeBatch {
    Duration age{};           // only those older than this
    int tokens = 1'000;       // about so many; more if their times are equal
    std::string_view from{};  // Purged::next of the batch before; empty: from the oldest
};

struct Purged {
    std::int64_t tokens = 0;
    // Where the next batch begins, opaque outside its driver; empty: no older token is left. Deleted
    // rows stay in an index until the database cleans up, so a batch does not begin at the front again.
    std::string next{};
};

enum class Beginnings : std::uint8_t {
    begun,
    token_taken  // the token's row is there: an earlier transaction with it was committed
};

struct Begun {
    Beginnings what = Beginnings::begun;
    Doubt doubt{};
    TokenRow taken{};  // of a token that was taken
};

enum class State : std::uint8_t {
    idle,
    open,    // in a transaction that can still be committed
    failed,  // in a transaction, or the ruins of one, that can only be rolled back
    broken   // good for nothing: drop it
};

// Whether an old session can still commit what it had begun.
enum class Remains : std::uint8_t { gone, alive, cannot_tell };

// Used by one thread at a time. Every call ends by its bounds.
class Session : public net::Pooled {
public:
    // A statement changed what later ones would meet (SET, USE, PRAGMA …): it is not used again.
    void spoil() noexcept { spoiled_ = true; }
    [[nodiscard]] bool spoiled() const noexcept { return spoiled_; }

    [[nodiscard]] virtual State state() const noexcept = 0;

    // One statement; in a transaction if one was begun, else by itself.
    [[nodiscard]] virtual Result<Done> run(const Statement& statement, RowSink& rows,
                                           const Bounds& bounds) = 0;

    [[nodiscard]] virtual Result<Begun> begin(const Beginning& how, const Bounds& bounds) = 0;
    // Right before commit(): completes what begin() said about the transaction. One that wrote nothing
    // may need no number. A failure ends the transaction; its effect is none.
    [[nodiscard]] virtual Result<void> note(Doubt& doubt, const Bounds& bounds) {
        (void)doubt, (void)bounds;
        return {};
    }
    // The token's row was there when a statement of the transaction, or note(), came to insert it.
    [[nodiscard]] virtual const TokenRow* found_token() const noexcept { return nullptr; }
    // Success only if the database said so about this transaction. Failure: effect none is a
    // transaction surely rolled back, unknown is the question to be resolved.
    [[nodiscard]] virtual Result<void> commit(const Bounds& bounds) = 0;
    // Leaves the session idle or broken.
    virtual void roll_back(const Bounds& bounds) noexcept = 0;

    // The four below are asked of a fresh session, about the lost commit of another.

    // Inserts the token and rolls back. yes: it was there, and this is its row. no: it was not and
    // cannot come any more. pending: another transaction holds it and had not ended within `wait`.
    [[nodiscard]] virtual Result<Landed<TokenRow>> probe(const Token& token, std::string_view table,
                                                         Duration wait, const Bounds& bounds) = 0;
    // The server's own word about a transaction; `unknown` where it has none or may be mistaken.
    [[nodiscard]] virtual Result<Landed<void>> outcome_of(const Doubt& doubt,
                                                          const Bounds& bounds) = 0;
    // Ends the old session if it lives and this one may. `gone` is a proof.
    [[nodiscard]] virtual Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) = 0;

    // Creates the token table if it is not there, and the column `attempt_id` if an earlier version
    // created the table.
    [[nodiscard]] virtual Result<void> make_tokens(std::string_view table,
                                                   const Bounds& bounds) = 0;
    // Adds the index on `created_at` to a token table of an earlier version. May take long on a large
    // table; does not block writers where the database can avoid it.
    [[nodiscard]] virtual Result<void> index_tokens(std::string_view table, const Bounds& bounds) {
        (void)table, (void)bounds;
        return {};
    }
    // One batch, by the index on `created_at`.
    [[nodiscard]] virtual Result<Purged>
    purge_tokens(std::string_view table, const PurgeBatch& which, const Bounds& bounds) = 0;

private:
    bool spoiled_ = false;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
