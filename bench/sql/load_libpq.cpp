// SPDX-License-Identifier: Apache-2.0
//
// By hand, as good programs do it: statements prepared once, PQexecPrepared, every result looked at.
// No deadline, nothing is repeated.
#include <libpq-fe.h>

#include <array>
#include <charconv>

#include "load.hpp"
#include "perdure/sql/token.hpp"

namespace bench {
namespace {

// A number as the text that libpq wants.
class Text {
public:
    explicit Text(std::int64_t number) noexcept {
        *std::to_chars(text_.data(), text_.data() + text_.size() - 1, number).ptr = '\0';
    }
    [[nodiscard]] const char* get() const noexcept { return text_.data(); }

private:
    std::array<char, 24> text_{};
};

enum class Tokens : std::uint8_t { none, one };

class ByHand final : public Client {
public:
    ByHand(const Place& place, Tokens tokens)
        : connection_{PQconnectdb(place.where.c_str())}, tokens_{tokens} {
        if (PQstatus(connection_) != CONNECTION_OK) give_up("libpq", PQerrorMessage(connection_));
        prepare("note", "insert into movement (source, target, cents, note) "
                        "values ($1, $2, $3, $4)");
        prepare("take", "update account set cents = cents - $1 where id = $2");
        prepare("give", "update account set cents = cents + $1 where id = $2");
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() override { PQfinish(connection_); }

    void once(const Movement& m) override {
        begin();
        const Text source{m.source}, target{m.target}, cents{m.cents};
        change("note", std::array{source.get(), target.get(), cents.get(), m.note.data()});
        change("take", std::array{cents.get(), source.get()});
        change("give", std::array{cents.get(), target.get()});
        PGresult* const committed = PQexec(connection_, "COMMIT");
        if (std::string_view{PQcmdStatus(committed)} != "COMMIT")
            give_up("libpq", PQerrorMessage(connection_));
        PQclear(committed);
    }

private:
    void begin() const {
        std::string text = "BEGIN";
        if (tokens_ == Tokens::one)
            text.append(";INSERT INTO perdure_token (token,attempt_id) VALUES ('")
                .append(perdure::sql::Token::make().hex())
                .append("','")
                .append(perdure::sql::Token::make().hex())
                .append("')");
        done(PQexec(connection_, text.c_str()));
    }
    void prepare(const char* name, const char* text) const {
        done(PQprepare(connection_, name, text, 0, nullptr));
    }
    void done(PGresult* result) const {
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            give_up("libpq", PQerrorMessage(connection_));
        PQclear(result);
    }
    template <std::size_t count>
    void change(const char* name, const std::array<const char*, count>& values) const {
        PGresult* const result =
            PQexecPrepared(connection_, name, count, values.data(), nullptr, nullptr, 0);
        if (PQresultStatus(result) != PGRES_COMMAND_OK ||
            std::string_view{PQcmdTuples(result)} != "1")
            give_up("libpq", PQerrorMessage(connection_));
        PQclear(result);
    }

    PGconn* connection_;
    Tokens tokens_;
};

}  // namespace

std::unique_ptr<Client> make_libpq(const Place& place) {
    return std::make_unique<ByHand>(place, Tokens::none);
}
std::unique_ptr<Client> make_libpq_token(const Place& place) {
    return std::make_unique<ByHand>(place, Tokens::one);
}

}  // namespace bench
