// SPDX-License-Identifier: Apache-2.0
//
// The same transfers under the same faults, made in five ways: which of them lose or double money? The
// page docs/reference/sql-side-by-side.md is printed by the disabled test; scripts/side-by-side-sql.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "live/sql/support/money_places.hpp"
#include "live/sql/support/unfenced.hpp"
#include "perdure/sql/ef_core.hpp"
#include "perdure/sql/manual.hpp"

namespace perdure::live {
namespace {

enum class Verify : std::uint8_t { off, on };

// Zombies end after two seconds, as keepalives would end them; else the others would wait for ever.
SqlFaults faults(std::uint64_t seed) {
    return {.before = 0.05,
            .answered = 0.05,
            .half_open = 0.05,
            .late = 0.05,
            .open_for = 2s,
            .seed = seed};
}

Tellers::Call like_ef_core(sql::Database& bank, Verify verify) {
    return [&bank, verify](const Transfer& transfer) {
        std::function<Result<bool>()> ask;
        if (verify == Verify::on)
            ask = [&]() -> Result<bool> {
                const auto found = sql::WithoutRetries{bank}.query(
                    "select id from transfer where id = ?", transfer.id);
                if (!found) return fail(found.error());
                return !found->empty();
            };
        return sql::transact_like_ef_core(
            bank, {.name = "transfer"},
            [&](sql::Transaction& tx) { return move_money(tx, transfer); }, ask);
    };
}

Result<std::int64_t> move_once(sql::Database& bank, const Transfer& transfer) {
    auto tx = sql::WithoutRetries{bank}.begin();
    if (!tx) return tx.take_failure();
    auto moved = move_money(*tx->operator->(), transfer);
    if (!moved) return moved;
    auto committed = tx->commit();
    if (!committed) return committed.take_failure();
    return moved;
}

// What stands in many programs: seven times, longer waits each time, whatever the error. What it
// reports in the end is "failed".
Tellers::Call plain_loop(sql::Database& bank) {
    return [&bank](const Transfer& transfer) {
        Clock& clock = system_clock();
        Duration wait = 50ms;
        for (int attempt = 1;; ++attempt, wait *= 2) {
            auto result = move_once(bank, transfer);
            if (result || attempt == 7) {
                if (!result) result.error().effect = Effect::none;
                return result;
            }
            clock.sleep_until(clock.now() + wait, {});
        }
    };
}

struct Manner {
    std::string name;
    Duration deadline;
    std::function<sql::DatabaseOptions(sql::Product)> options;
    std::function<Tellers::Call(sql::Database&)> caller;
    std::function<std::shared_ptr<sql::Driver>(std::shared_ptr<sql::Driver>)> around{};
};

sql::DatabaseOptions ef_options(sql::Product product) { return {.plan = sql::ef_core(product)}; }
sql::DatabaseOptions own_options(sql::TokenUse use) {
    return {.tokens = {.use = use, .purge_every = {}}};
}

Manner plain() {
    return {"a plain loop", 5min, [](sql::Product) { return sql::DatabaseOptions{}; }, plain_loop};
}
Manner ef_core(Verify verify) {
    return {verify == Verify::on ? "EF Core's algorithm, verify" : "EF Core's algorithm, no verify",
            5min, ef_options, [verify](sql::Database& bank) { return like_ef_core(bank, verify); },
            unfenced};
}
// Without a token PostgreSQL is asked itself, MariaDB by the caller's `landed`.
Manner perdure_without_token() {
    return {"Perdure, no token", 10s, [](sql::Product) { return own_options(sql::TokenUse::off); },
            [](sql::Database& bank) {
                const bool asked = bank.driver().traits().product == sql::Product::mariadb;
                return with_transact(bank, asked ? Asks::landed : Asks::nobody);
            }};
}
Manner perdure_with_token() {
    return {"Perdure, token", 10s, [](sql::Product) { return own_options(sql::TokenUse::create); },
            [](sql::Database& bank) { return with_transact(bank); }};
}

template <class Place>
MoneyOutcome go(const Manner& way, const MoneySize& size, sql::Product product) {
    MoneyOutcome outcome = run_money<Place>({.name = way.name,
                                             .size = size,
                                             .faults = faults(size.seed),
                                             .keyed = Keyed::no,
                                             .deadline = way.deadline,
                                             .database = way.options(product),
                                             .caller = way.caller,
                                             .around = way.around});
    outcome.account.lies.clear();  // counted is enough
    std::cout << Place::name << ", " << way.name << ", seed " << size.seed << ": " << outcome;
    return outcome;
}

double seconds(Duration duration) {
    return std::round(std::chrono::duration<double>(duration).count() * 10) / 10;
}

template <class Place>
void print_table(std::ostream& page, const MoneySize& size, sql::Product product) {
    page
        << "\n## " << Place::name
        << "\n\n| way | done | failed | unknown | lost | doubled | failed, yet done | COMMITs lost "
           "| longest call | whole run |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (const Manner& way : {plain(), ef_core(Verify::off), ef_core(Verify::on),
                              perdure_without_token(), perdure_with_token()}) {
        const MoneyOutcome outcome = go<Place>(way, size, product);
        const Account& account = outcome.account;
        page << "| " << way.name << " | " << account.success << " | " << account.none << " | "
             << account.unknown << " | " << account.lost << " | " << account.doubled << " | "
             << account.ghosts << " | " << outcome.cuts << " | " << seconds(account.longest)
             << " s | " << seconds(outcome.took) << " s |\n";
    }
}

TEST(SideBySide, DISABLED_page) {
    const char* const path = std::getenv("PERDURE_PAGE");  // NOLINT(concurrency-mt-unsafe)
    ASSERT_TRUE(path) << "PERDURE_PAGE says where to write";
    const MoneySize size = money_size({.seed = 5});
    std::ofstream page{path, std::ios::app};
    page << "\n"
         << size.transfers << " transfers, 8 threads, seed " << size.seed << ", " << size.kills
         << " kills of the server in each run.\n";
    print_table<PostgresPlace>(page, size, sql::Product::postgres);
    print_table<MariadbPlace>(page, size, sql::Product::mariadb);
}

void expect_nothing_lost_or_doubled(const MoneyOutcome& outcome) {
    EXPECT_EQ(outcome.account.lost, 0);
    EXPECT_EQ(outcome.account.doubled, 0);
    EXPECT_EQ(outcome.account.ghosts, 0);
    EXPECT_EQ(outcome.account.late, 0);
}

TEST(SideBySide, on_postgres_only_what_asks_before_it_repeats_doubles_nothing) {
    if (!Postgres::missing().empty()) GTEST_SKIP() << Postgres::missing();
    const MoneySize size{.transfers = 200, .kills = 1, .seed = 5};
    EXPECT_GT(go<PostgresPlace>(plain(), size, sql::Product::postgres).account.doubled, 0);
    expect_nothing_lost_or_doubled(
        go<PostgresPlace>(perdure_without_token(), size, sql::Product::postgres));
    expect_nothing_lost_or_doubled(
        go<PostgresPlace>(perdure_with_token(), size, sql::Product::postgres));
}

TEST(SideBySide, on_mariadb_only_what_asks_before_it_repeats_doubles_nothing) {
    if (!Mariadb::missing().empty()) GTEST_SKIP() << Mariadb::missing();
    const MoneySize size{.transfers = 200, .kills = 1, .seed = 5};
    EXPECT_GT(go<MariadbPlace>(plain(), size, sql::Product::mariadb).account.doubled, 0);
    expect_nothing_lost_or_doubled(
        go<MariadbPlace>(perdure_without_token(), size, sql::Product::mariadb));
    expect_nothing_lost_or_doubled(
        go<MariadbPlace>(perdure_with_token(), size, sql::Product::mariadb));
}

}  // namespace
}  // namespace perdure::live
