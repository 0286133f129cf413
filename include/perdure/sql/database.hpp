// SPDX-License-Identifier: Apache-2.0
//
// How do I talk to a database so that it survives failure? A driver, a strategy and a pool, long-lived
// and shared by all threads.
//
//     sql::Database bank{*sql::postgres("postgres://app@db.internal/bank")};
//     const auto rows = bank.query("select name, cents from account where cents > ?", 1000);
//     const auto done = bank.execute("update account set checked = true where id = ?", id);
//     sql::transact(bank, {.name = "transfer"}, …);      // transact.hpp: several statements as one
//
// Opening a session, one statement, one query and one transaction are each repeated as a whole by the
// database's strategy. A statement that may have been carried out is repeated only if its options
// call it idempotent; a query is a read unless they say otherwise.
#pragma once

#include "perdure/cxx20.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "perdure/call/caller.hpp"
#include "perdure/call/function_ref.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/sql/driver.hpp"
#include "perdure/sql/rows.hpp"
#include "perdure/sql/strategy.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

class ManualTransaction;

enum class TokenUse : std::uint8_t {
    off,     // a lost COMMIT is resolved by the server's word, your `landed`, or not at all
    use,     // each transaction leaves a token in the table, which must be there
    create,  // and the table is created when it is missing
};

struct TokenOptions {
    TokenUse use = TokenUse::off;
    std::string table = "perdure_token";
    // Must exceed both the time in which an abandoned transaction can still commit and the time in
    // which you may still ask for its outcome.
    Duration keep_for = 24h;
    Duration purge_every = 1h;  // zero: somebody else purges
};

struct DatabaseOptions {
    std::optional<Plan> plan{};  // nothing: strategy(product)
    Codes codes{};               // errors to add to the table's transient ones, and to take away
    ShouldRepeat also_repeat{};  // the same by a function; any thread
    TokenOptions tokens{};
    net::PoolOptions pool{.max_connections = 10, .idle_for = 5min, .live_for = 1h};
    Duration connect_within = 3s;           // one session, name lookup and login included
    std::size_t most_bytes = 64ull << 20u;  // of a buffered result
};

// What became of the purges of old tokens, by the database's own thread and by purge_tokens().
struct PurgeCounts {
    std::uint64_t runs = 0;      // that went through all old tokens
    std::uint64_t tokens = 0;    // deleted
    std::uint64_t failures = 0;  // of batches, and of adding the index
    std::string last_failure{};
};

// What one statement or query knows better than the database's options.
struct StatementOptions {
    std::string_view name{};         // for diagnostics; empty: "execute", "query", "stream"
    std::optional<Safety> safety{};  // nothing: once for execute, read for query and stream
    Duration deadline{};             // zero: the plan's
    std::stop_token stop{};
    const Attempt* attempt = nullptr;  // inside a call of another dependency: one attempt here
    Role role = Role::primary;
    ShouldRepeat also_repeat{};  // beside the database's; not after rows were handed out
    Diagnostics* diagnostics = nullptr;
};

// Safe for any number of threads. Its destructor waits for a purge under way; an asynchronous call
// that is no longer waited for keeps what it needs and ends by its deadline.
class Database {
public:
    explicit Database(std::shared_ptr<Driver> driver, DatabaseOptions options = {},
                      const Environment& environment = {});
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    template <class... P>
    Result<Done> execute(std::string_view text, const P&... values) {
        return execute(StatementOptions{}, text, values...);
    }
    template <class... P>
    Result<Done> execute(const StatementOptions& options, std::string_view text,
                         const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return execute_with(options, {text, parameters});
    }
    // All rows, read to the end before the first is handed out, so that a failure can be repeated.
    template <class... P>
    Result<Rows> query(std::string_view text, const P&... values) {
        return query(StatementOptions{}, text, values...);
    }
    template <class... P>
    Result<Rows> query(const StatementOptions& options, std::string_view text, const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return query_with(options, {text, parameters});
    }
    // Row by row and of any size. Repeated only before the first row was handed out; a failure after
    // that says so. `on_row` is Result<void>(const Row&); its failure ends the query.
    template <class... P>
    Result<Done> stream(FunctionRef<Result<void>(const Row&)> on_row, std::string_view text,
                        const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return stream_with({}, on_row, {text, parameters});
    }
    template <class... P>
    Result<Done> stream(const StatementOptions& options,
                        FunctionRef<Result<void>(const Row&)> on_row, std::string_view text,
                        const P&... values) {
        const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
        return stream_with(options, on_row, {text, parameters});
    }

    // The same for lists of parameters whose length is known only at run time.
    Result<Done> execute_with(const StatementOptions& options, const Statement& statement);
    Result<Rows> query_with(const StatementOptions& options, const Statement& statement);
    Result<Done> stream_with(const StatementOptions& options,
                             FunctionRef<Result<void>(const Row&)> on_row,
                             const Statement& statement);

    // A transaction by hand. Refused on a database that retries: see WithoutRetries.
    Result<ManualTransaction> begin(Isolation isolation = Isolation::server_default);

    // Connects and logs in n sessions, so that the first calls need not. Not repeated.
    Result<void> prewarm(int sessions);
    // Closes what is idle; what is in use is closed when it is given back.
    void clear();

    [[nodiscard]] const Driver& driver() const noexcept;
    [[nodiscard]] const DatabaseOptions& options() const noexcept;
    [[nodiscard]] Caller& caller() noexcept;
    [[nodiscard]] net::PoolCounts counts() const;
    [[nodiscard]] PurgeCounts purge_counts() const;

    struct Inside;  // src/sql
    [[nodiscard]] Inside& inside() noexcept { return *inside_; }
    // For calls that may outlive the database: what they need of it stays until they have ended.
    [[nodiscard]] std::shared_ptr<Inside> hold() const noexcept { return inside_; }

private:
    std::shared_ptr<Inside> inside_;
};

// What has become of a transaction whose token was kept? Asked of the database, much later if need
// be. `pending`: a transaction holds it and has not ended yet, ask again. `no` is final only if no
// transaction with this token will be begun any more. Of the options, name, deadline, stop, attempt
// and diagnostics count.
[[nodiscard]] Result<Landed<void>> landed(Database& database, const Token& token,
                                          const StatementOptions& options = {});

// Makes the token table if it is not there: for a deployment that lets no service create tables.
[[nodiscard]] Result<void> make_token_table(Database& database);
// Deletes tokens that are older than the options say; the database does it by itself now and then.
[[nodiscard]] Result<std::int64_t> purge_tokens(Database& database);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
