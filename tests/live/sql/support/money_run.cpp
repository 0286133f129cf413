// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_run.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "live/sql/support/money_switches.hpp"
#include "live/support/sql_server.hpp"
#include "perdure/sql/manual.hpp"

namespace perdure::live {
namespace {

template <class Number>
Number told(const char* name, Number otherwise) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (!text) return otherwise;
    const std::string_view digits{text};
    Number number = otherwise;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

}  // namespace

MoneySize money_size(const MoneySize& otherwise) {
    const std::uint64_t seed =
        otherwise.seed != 0 ? otherwise.seed : system_random().bits() % 1'000'000;
    return {.transfers = told("PERDURE_TRANSFERS", otherwise.transfers),
            .kills = told("PERDURE_KILLS", otherwise.kills),
            .seed = told("PERDURE_SEED", seed)};
}

SqlFaults money_faults(std::uint64_t seed) {
    return {.before = 0.05,
            .after = 0.025,
            .answered = 0.025,
            .half_open = 0.05,
            .late = 0.01,
            .seed = seed};
}

Tellers::Tellers(MoneyBook& book, std::uint64_t seed, Call call, Crowd crowd, int threads)
    : book_{book}, seed_{seed}, call_{std::move(call)}, crowd_{crowd} {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void Tellers::work() {
    const Clock& clock = system_clock();
    for (int number = next_++; number < book_.transfers(); number = next_++) {
        const Transfer transfer = transfer_of(seed_, number, crowd_);
        book_.begin(number);
        const TimePoint start = clock.now();
        const auto result = call_(transfer);
        book_.note(number, result, clock.now() - start);
    }
}

void Tellers::await(int ended) const {
    becomes_true([&] { return book_.ended() >= std::min(ended, book_.transfers()); }, 1h);
}

Tellers::Call with_transact(sql::Database& database, Asks asks) {
    const bool mariadb = database.driver().traits().product == sql::Product::mariadb;
    const auto move = mariadb && money_switch("text") ? move_money_as_text : move_money;
    return [&database, asks, move](const Transfer& transfer) {
        sql::TransactOptions options{.name = "transfer"};
        if (asks == Asks::landed)
            options.landed = [&](sql::Transaction& tx) { return was_moved(tx, transfer.id); };
        return sql::transact(database, options,
                             [&](sql::Transaction& tx) { return move(tx, transfer); });
    };
}

Terror::Terror(std::shared_ptr<sql::Driver> driver, std::string victim, Duration every)
    : database_{std::move(driver)},
      victim_{std::move(victim)},
      every_{every},
      thread_{[this](const std::stop_token& stop) { work(stop); }} {}

void Terror::work(const std::stop_token& stop) {
    Clock& clock = system_clock();
    sql::WithoutRetries plain{database_};
    while (clock.sleep_until(clock.now() + every_, stop) == Woken::on_time) {
        const auto found = plain.query(victim_);
        if (!found || found->size() != 1) continue;
        const auto order = found->single<std::string>();
        // The session may be gone by then, the server too.
        if (order && (order->empty() || plain.execute(*order))) ++ended_;
    }
}

std::shared_ptr<sql::Driver> must_drive(Result<std::shared_ptr<sql::Driver>> driver) {
    if (!driver) must(fail(driver.error()), "a driver");
    return *std::move(driver);
}

}  // namespace perdure::live
