// SPDX-License-Identifier: Apache-2.0
//
// A database to load into, whichever it is: its URL, an own session for looking on, and its death.
//
//     Place& place = place_of("postgres");     // one of each for the whole program
//     if (!place.missing().empty()) GTEST_SKIP() << place.missing();
//     place.clear();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/support/temp_dir.hpp"
#include "perdure/sql/database.hpp"

namespace perdure::live {

// Used by the thread that asked for it first.
class Place {
public:
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    virtual ~Place() = default;

    // Why it is not to be had; empty if it is.
    [[nodiscard]] virtual std::string missing() const = 0;
    // As the one who may do everything; at another port, where there are ports.
    [[nodiscard]] virtual std::string url(std::uint16_t port = 0) const = 0;
    // As somebody who may only read `orders`; as somebody who is not let in.
    [[nodiscard]] virtual std::string url_of_reader() = 0;
    [[nodiscard]] virtual std::string url_of_stranger() const = 0;
    // Logins that only a person can mend, and what is said of each.
    struct Refused {
        std::string url{};
        std::string words{};
    };
    [[nodiscard]] virtual std::vector<Refused> refused() = 0;
    [[nodiscard]] virtual std::uint16_t port() const { return 0; }

    // Nothing is left of earlier loads.
    virtual void clear();
    virtual void kill9() {}
    virtual void start() {}
    // A table `orders` with the records' columns, plain or with the key `id`.
    void make_orders(const std::string& constraint = "primary key (id)");
    // The same in that directory; leave() before it goes.
    virtual void make_orders_in(const std::string& directory) = 0;
    virtual void leave() { clear(); }

    // A session of the test's own, made anew after clear().
    [[nodiscard]] sql::Database& direct();
    // Must not fail.
    void run(const std::string& text);

protected:
    [[nodiscard]] virtual std::string table_end() const { return {}; }
    std::unique_ptr<sql::Database> direct_;
};

// "sqlite", "postgres", "mariadb"
[[nodiscard]] Place& place_of(const std::string& name);

}  // namespace perdure::live
