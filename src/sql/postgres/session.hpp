// SPDX-License-Identifier: Apache-2.0
//
// One session of a PostgreSQL server.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "conninfo.hpp"
#include "failures.hpp"
#include "link.hpp"
#include "perdure/sql/session.hpp"
#include "proof.hpp"
#include "statements.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// What a driver and its sessions have in common. Shared by threads.
struct Common {
    Target target{};
    PostgresOptions options{};
    std::atomic<std::size_t> good_host = 0;  // where the primary was last
    Provable provable{};

    [[nodiscard]] Wording wording() const noexcept {
        return {.messages = options.messages, .user = target.user};
    }
    [[nodiscard]] bool names_statements() const noexcept {
        return options.pooler == Pooler::none &&
               options.statements == PostgresStatements::prepared && options.most_statements > 0;
    }
};

// Letters, digits and underscores, with a schema before a dot if one is given.
[[nodiscard]] Result<void> check_table(std::string_view table);
// What to do about a token table without the column for attempts.
[[nodiscard]] std::string old_token_table(std::string_view table);

class PostgresSession final : public Session {
public:
    PostgresSession(std::shared_ptr<Common> common, Link link);

    [[nodiscard]] State state() const noexcept override;
    [[nodiscard]] bool still_good() override;
    [[nodiscard]] Result<Done> run(const Statement& statement, RowSink& rows,
                                   const Bounds& bounds) override;
    [[nodiscard]] Result<Begun> begin(const Beginning& how, const Bounds& bounds) override;
    [[nodiscard]] Result<void> note(Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] const TokenRow* found_token() const noexcept override {
        return found_token_ ? &*found_token_ : nullptr;
    }
    [[nodiscard]] Result<void> commit(const Bounds& bounds) override;
    void roll_back(const Bounds& bounds) noexcept override;
    [[nodiscard]] Result<Landed<TokenRow>> probe(const Token& token, std::string_view table,
                                                 Duration wait, const Bounds& bounds) override;
    [[nodiscard]] Result<Landed<void>> outcome_of(const Doubt& doubt,
                                                  const Bounds& bounds) override;
    [[nodiscard]] Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] Result<void> make_tokens(std::string_view table, const Bounds& bounds) override;
    [[nodiscard]] Result<void> index_tokens(std::string_view table, const Bounds& bounds) override;
    [[nodiscard]] Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                              const Bounds& bounds) override;

private:
    [[nodiscard]] Result<void> build_index(const std::string& name, const Bounds& bounds);
    struct Received {
        Done done{};
        std::string tag{};
        bool has_columns = false;
    };

    [[nodiscard]] During during() const noexcept {
        return begun_ ? During::in_transaction : During::statement;
    }
    // Marks what a failure did to the session, keeps a transaction's first one, and passes it on.
    Fail failed(Failure failure);
    Fail failed(const Reply& reply, During when);
    // Ready to be asked something, or why not.
    [[nodiscard]] Result<void> ready(const Bounds& bounds);

    // What goes to the server with a statement, in the same round trip.
    struct Company {
        std::string before{};  // empty: nothing
        std::string after{};

        [[nodiscard]] bool any() const noexcept { return !before.empty() || !after.empty(); }
    };
    [[nodiscard]] Company company_of(const Known& known, const Bounds& bounds);
    [[nodiscard]] Result<void> send(Known& known, const Bounds& bounds);
    [[nodiscard]] bool send_alone(const Known& known);
    [[nodiscard]] bool send_in_company(const Known& known);
    [[nodiscard]] Result<void> receive_before(const Bounds& bounds);
    [[nodiscard]] Result<void> receive_after(const Bounds& bounds);
    [[nodiscard]] Result<void> prepare(Known& known, const Bounds& bounds);
    void drop_leftovers(const Bounds& bounds);
    [[nodiscard]] Result<Done> receive(RowSink& rows, const Bounds& bounds);
    [[nodiscard]] Fail failed_by_statement(const Reply& reply);
    [[nodiscard]] Result<void> take(PGresult* result, RowSink& rows, Received& received);
    void skip_rest(const Bounds& bounds);
    [[nodiscard]] Result<Done> checked(const Received& received);

    // What this server can be asked later; found out once.
    [[nodiscard]] Result<void> find_provable(const Bounds& bounds);
    void read_provable(const PGresult* answer);
    [[nodiscard]] std::string note_question() const;
    void read_note(const PGresult* answer);
    void tell(Doubt& doubt) const;

    [[nodiscard]] bool defers_token(const Beginning& how) const noexcept;
    [[nodiscard]] std::string token_insert(const Beginning& how) const;
    [[nodiscard]] std::string opening(const Beginning& how) const;
    [[nodiscard]] Result<Begun> begun(const Beginning& how, const Reply& reply,
                                      const Bounds& bounds);
    void read_returned(const PGresult* answer);
    [[nodiscard]] Result<void> leave_token(const Bounds& bounds);
    // Why a transaction that cannot be committed any more had failed.
    [[nodiscard]] Failure rolled_back() const;
    [[nodiscard]] Fail token_trouble(const Reply& reply, std::string_view table);
    // Of a token that was found taken.
    [[nodiscard]] Result<TokenRow> token_row(const Token& token, std::string_view table,
                                             const Bounds& bounds);
    [[nodiscard]] Result<void> add_attempt_id(const std::string& table, const Bounds& bounds);
    // A question with text parameters, outside of a transaction of ours.
    [[nodiscard]] Reply ask(const char* statement, std::initializer_list<const char*> values,
                            const Bounds& bounds);
    [[nodiscard]] std::string fate_question() const;
    [[nodiscard]] Result<void> terminate(const Doubt& doubt, const Bounds& bounds);
    // Whether this session is on the cluster where the doubt arose, as far as that is known.
    [[nodiscard]] Result<bool> same_cluster(const Doubt& doubt, const Bounds& bounds);
    [[nodiscard]] Result<Landed<void>> outcome_without_fence(const Doubt& doubt,
                                                             const Bounds& bounds);
    [[nodiscard]] Result<Landed<void>> outcome_in_future(const Doubt& doubt, const Bounds& bounds);

    std::shared_ptr<Common> common_;
    Link link_;
    Statements statements_;
    Arguments arguments_;
    RowReader reader_;
    bool begun_ = false;
    Access access_ = Access::read_write;  // of the transaction that was begun
    bool discard_ = false;                // an answer said that the session is good for nothing
    bool ended_ = false;                  // the transaction was ended by a statement, not by us
    std::optional<Failure> first_failure_;

    bool known_provable_ = false;
    Proof proof_ = Proof::fate;
    bool snapshot_lasts_ = false;  // by default its transactions keep their first snapshot
    Doubt identity_{};             // what is the same for all its transactions

    // Of the transaction that was begun.
    bool notes_ = false;          // it is to be asked for its number
    bool number_wanted_ = false;  // a notification lasts by COMMIT, and takes no number before
    bool ran_ = false;            // something that may have written
    Doubt noted_{};               // what is of this transaction alone
    struct PendingToken {
        Token token;
        std::optional<Token> attempt_id;
        std::string table;
    };
    std::optional<PendingToken> pending_token_;  // to be inserted before the first snapshot
    std::optional<TokenRow> found_token_;

    Company company_;                             // of the statement that was sent
    TimePoint limited_until_ = TimePoint::max();  // when the server cuts it off, as we asked
};

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
