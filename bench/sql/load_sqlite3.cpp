// SPDX-License-Identifier: Apache-2.0
//
// By hand, as good programs do it: statements prepared once, WAL, the write lock taken at BEGIN, every
// return code looked at. No deadline, nothing is repeated.
#include <sqlite3.h>

#include "load.hpp"
#include "perdure/sql/token.hpp"

namespace bench {
namespace {

enum class Tokens : std::uint8_t { none, one };

class ByHand final : public Client {
public:
    ByHand(const Place& place, Tokens tokens) {
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
        expect(sqlite3_open_v2(place.where.c_str(), &database_, flags, nullptr), SQLITE_OK);
        sqlite3_busy_timeout(database_, 5000);
        set("pragma journal_mode = wal");
        set(place.durability == Durability::full ? "pragma synchronous = full"
                                                 : "pragma synchronous = normal");
        begin_ = prepared("begin immediate");
        insert_ =
            prepared("insert into movement (source, target, cents, note) values (?, ?, ?, ?)");
        take_ = prepared("update account set cents = cents - ? where id = ?");
        give_ = prepared("update account set cents = cents + ? where id = ?");
        commit_ = prepared("commit");
        if (tokens == Tokens::one)
            token_ = prepared("insert into perdure_token (token, attempt_id) values (?, ?)");
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() override {
        for (sqlite3_stmt* const each : {begin_, token_, insert_, take_, give_, commit_})
            sqlite3_finalize(each);
        sqlite3_close(database_);
    }

    void once(const Movement& m) override {
        step(begin_);
        if (token_) {
            const auto token = perdure::sql::Token::make();
            const auto attempt_id = perdure::sql::Token::make();
            sqlite3_bind_blob(token_, 1, token.bytes().data(), 16, SQLITE_STATIC);
            sqlite3_bind_blob(token_, 2, attempt_id.bytes().data(), 16, SQLITE_STATIC);
            change(token_);
        }
        sqlite3_bind_int(insert_, 1, m.source);
        sqlite3_bind_int(insert_, 2, m.target);
        sqlite3_bind_int64(insert_, 3, m.cents);
        sqlite3_bind_text(insert_, 4, m.note.data(), static_cast<int>(m.note.size()),
                          SQLITE_STATIC);
        change(insert_);
        sqlite3_bind_int64(take_, 1, m.cents);
        sqlite3_bind_int(take_, 2, m.source);
        change(take_);
        sqlite3_bind_int64(give_, 1, m.cents);
        sqlite3_bind_int(give_, 2, m.target);
        change(give_);
        step(commit_);
    }

private:
    void expect(int code, int good) const {
        if (code != good) give_up("sqlite3", sqlite3_errmsg(database_));
    }
    void set(const char* pragma) const {
        expect(sqlite3_exec(database_, pragma, nullptr, nullptr, nullptr), SQLITE_OK);
    }
    [[nodiscard]] sqlite3_stmt* prepared(const char* text) const {
        sqlite3_stmt* made = nullptr;
        expect(sqlite3_prepare_v2(database_, text, -1, &made, nullptr), SQLITE_OK);
        return made;
    }
    void step(sqlite3_stmt* statement) const {
        expect(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    void change(sqlite3_stmt* statement) const {
        step(statement);
        if (sqlite3_changes(database_) != 1)
            give_up("sqlite3", "a statement did not change one row");
    }

    sqlite3* database_ = nullptr;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* token_ = nullptr;
    sqlite3_stmt* insert_ = nullptr;
    sqlite3_stmt* take_ = nullptr;
    sqlite3_stmt* give_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
};

}  // namespace

std::unique_ptr<Client> make_sqlite3(const Place& place) {
    return std::make_unique<ByHand>(place, Tokens::none);
}
std::unique_ptr<Client> make_sqlite3_token(const Place& place) {
    return std::make_unique<ByHand>(place, Tokens::one);
}

}  // namespace bench
