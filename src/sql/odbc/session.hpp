// SPDX-License-Identifier: Apache-2.0
//
// What does a session over ODBC do on the caller's side? It hands work to its thread, waits within
// the bounds, and reads from the answer what became of the session.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "perdure/sql/session.hpp"
#include "sql/odbc/dialect.hpp"
#include "sql/odbc/worker.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

using Work = std::function<Reply(Link&, Job&)>;

// What is called "nobody answered in time".
Failure cut_off(Ended ended, During during, Effect effect);
// Whole seconds for the driver, rounded up; 0 without a deadline.
std::uint32_t seconds_left(const Bounds& bounds, const Clock& clock);

// Used by one thread at a time. Its destructor does not wait.
class OdbcSession final : public Session {
public:
    OdbcSession(std::shared_ptr<Worker> worker, const Clock& clock) noexcept
        : worker_{std::move(worker)}, clock_{clock} {}
    ~OdbcSession() override;

    // Once, first. The name of the database's product.
    Result<std::string> connect(const std::string& connection_string, Product guess,
                                const Bounds& bounds);

    [[nodiscard]] State state() const noexcept override { return state_; }
    [[nodiscard]] bool still_good() override;
    Result<Done> run(const Statement& statement, RowSink& rows, const Bounds& bounds) override;
    Result<Begun> begin(const Beginning& how, const Bounds& bounds) override;
    Result<void> commit(const Bounds& bounds) override;
    void roll_back(const Bounds& bounds) noexcept override;
    Result<Landed<TokenRow>> probe(const Token& token, std::string_view table, Duration wait,
                                   const Bounds& bounds) override;
    Result<Landed<void>> outcome_of(const Doubt& doubt, const Bounds& bounds) override;
    Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) override;
    Result<void> make_tokens(std::string_view table, const Bounds& bounds) override;
    Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                const Bounds& bounds) override;

private:
    Result<void> make_index(std::string_view table, const Bounds& bounds);
    // Hands the work over and waits for its end. Fails only if the wait was cut off, and then the
    // session is broken and its thread left to itself.
    Ended attended(Job& job, const Bounds& bounds, RowSink* sink);
    Result<std::shared_ptr<Job>> perform(Work work, During during, const Bounds& bounds,
                                         RowSink* sink);
    Result<std::shared_ptr<Job>> open_transaction(const Beginning& how, const Bounds& bounds);
    // What a failed reply means, and what it makes of the session.
    Failure fall(const Reply& reply, During during);
    Failure fall_with_table(const Reply& reply, std::string_view table);
    // Of a token that was found taken.
    Result<TokenRow> token_row(const Token& token, std::string_view table, const Bounds& bounds);
    enum class TokenTable : std::uint8_t { good, old, missing };
    Result<TokenTable> find_token_table(std::string_view table, const Bounds& bounds);
    [[nodiscard]] Result<void> must_be(State wanted, std::string_view call) const;
    void drop() noexcept;

    std::shared_ptr<Worker> worker_;  // null: left to itself
    const Clock& clock_;
    Product product_ = Product::odbc;
    State state_ = State::broken;
    std::optional<Failure> first_failure_;  // of a transaction that has failed
    bool ended_ = false;                    // it was rolled back at once
    Told told_;
};

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
