// SPDX-License-Identifier: Apache-2.0
//
// What does every client here do? The same transaction, again and again, in a session that stays open:
// one insert and two updates by prepared statements, each of which must change one row.
//
//     auto client = make_libpq(place);
//     for (std::uint64_t i = 0; i < turns; ++i) client->once(movement(i));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bench {

// Of SQLite; a PostgreSQL server knows for itself.
enum class Durability : std::uint8_t { full, normal };

struct Place {
    std::string where{};  // postgres://… or a path
    Durability durability = Durability::full;
};

struct Movement {
    int source = 1;
    int target = 2;
    std::int64_t cents = 1;
    std::string_view note = "rent for November, thank you";
};

// The script fills as many accounts.
inline constexpr std::uint64_t accounts = 1000;

constexpr Movement movement(std::uint64_t turn) noexcept {
    const std::uint64_t source = turn * 389 % accounts;
    return {.source = static_cast<int>(source + 1),
            .target = static_cast<int>((source + 1 + turn % 7) % accounts + 1),
            .cents = static_cast<std::int64_t>(turn % 97 + 1)};
}

// Ends the program: a benchmark of failures says nothing.
[[noreturn]] void give_up(std::string_view client, std::string_view why);

// The first turns also connect and prepare. Used by one thread.
class Client {
public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client();
    virtual void once(const Movement& movement) = 0;
};

using MakeClient = std::unique_ptr<Client> (*)(const Place&);

// By hand; `_token` also inserts a token, in the round trip of BEGIN where there are round trips.
std::unique_ptr<Client> make_libpq(const Place& place);
std::unique_ptr<Client> make_libpq_token(const Place& place);
std::unique_ptr<Client> make_sqlite3(const Place& place);
std::unique_ptr<Client> make_sqlite3_token(const Place& place);

// transact() with the default strategy. `_noted` has no token and notes the server's transaction id,
// as it does when nothing is said; `_plain` does neither.
std::unique_ptr<Client> make_postgres_token(const Place& place);
std::unique_ptr<Client> make_postgres_noted(const Place& place);
std::unique_ptr<Client> make_postgres_plain(const Place& place);
std::unique_ptr<Client> make_postgres_coroutine(const Place& place);
std::unique_ptr<Client> make_sqlite_token(const Place& place);
std::unique_ptr<Client> make_sqlite_plain(const Place& place);
std::unique_ptr<Client> make_sqlite_coroutine(const Place& place);

}  // namespace bench
