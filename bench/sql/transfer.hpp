// SPDX-License-Identifier: Apache-2.0
//
// What does a transfer look like through transact(), whatever the database?
//
//     return std::make_unique<Blocking>("postgres", made(sql::postgres(url)), sql::TokenUse::use);
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "load.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/perdure.hpp"
#include "perdure/sql/async.hpp"

namespace bench {

using namespace perdure;

inline constexpr std::string_view insert_text =
    "insert into movement (source, target, cents, note) values (?, ?, ?, ?)";
inline constexpr std::string_view take_text = "update account set cents = cents - ? where id = ?";
inline constexpr std::string_view give_text = "update account set cents = cents + ? where id = ?";

inline Result<void> one_row(const Result<sql::Done>& done) {
    if (!done) return fail(done.error());
    if (done->affected == 1) return {};
    return fail({.cause = Cause::invalid, .message = "a statement did not change one row"});
}

inline std::shared_ptr<sql::Driver> made(const Result<std::shared_ptr<sql::Driver>>& driver) {
    if (!driver) give_up("perdure", to_string(driver.error()));
    return *driver;
}

class Transacting : public Client {
protected:
    Transacting(std::string_view name, std::shared_ptr<sql::Driver> driver, sql::TokenUse tokens)
        : name_{name}, bank_{std::move(driver), {.tokens = {.use = tokens}}} {}
    void check(const Result<void>& done) const {
        if (!done) give_up(name_, to_string(done.error()));
    }

    std::string_view name_;
    sql::Database bank_;
};

class Blocking final : public Transacting {
public:
    Blocking(std::string_view name, std::shared_ptr<sql::Driver> driver, sql::TokenUse tokens)
        : Transacting{name, std::move(driver), tokens} {}

    void once(const Movement& m) override {
        check(sql::transact(bank_, {.name = "transfer"}, [&](sql::Transaction& tx) -> Result<void> {
            PERDURE_TRY(one_row(tx.execute(insert_text, m.source, m.target, m.cents, m.note)));
            PERDURE_TRY(one_row(tx.execute(take_text, m.cents, m.source)));
            return one_row(tx.execute(give_text, m.cents, m.target));
        }));
    }
};

class Awaiting final : public Transacting {
public:
    Awaiting(std::string_view name, std::shared_ptr<sql::Driver> driver, sql::TokenUse tokens)
        : Transacting{name, std::move(driver), tokens} {}

    void once(const Movement& m) override { check(block_on(default_executor(), transfer(m))); }

private:
    Task<Result<void>> transfer(Movement m) {
        const auto body = [m](sql::AsyncTransaction& tx) -> Task<Result<void>> {
            auto noting = tx.execute(insert_text, m.source, m.target, m.cents, m.note);
            auto done = co_await noting;
            if (auto one = one_row(done); !one) co_return one.take_failure();
            auto taking = tx.execute(take_text, m.cents, m.source);
            done = co_await taking;
            if (auto one = one_row(done); !one) co_return one.take_failure();
            auto giving = tx.execute(give_text, m.cents, m.target);
            done = co_await giving;
            co_return one_row(done);
        };
        auto call = sql::start_transact(bank_, {.name = "transfer"}, body);
        co_return co_await call;
    }
};

}  // namespace bench
