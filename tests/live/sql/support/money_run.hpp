// SPDX-License-Identifier: Apache-2.0
//
// Many threads that move money, and somebody who ends sessions behind their backs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "live/sql/support/money_book.hpp"
#include "live/support/sql_link.hpp"
#include "perdure/sql/transact.hpp"

namespace perdure::live {

// PERDURE_TRANSFERS, PERDURE_KILLS and PERDURE_SEED, or what is given; without a seed a new one. More
// of the environment: money_switches.hpp.
struct MoneySize {
    int transfers = 2'000;
    int kills = 2;
    std::uint64_t seed = 0;
};
[[nodiscard]] MoneySize money_size(const MoneySize& otherwise);

// A COMMIT is lost before, after and half open at 5 % each; now and then it comes late.
[[nodiscard]] SqlFaults money_faults(std::uint64_t seed);

// How a call learns about a lost COMMIT beside what the server says.
enum class Asks : std::uint8_t { nobody, landed };

// Makes the transfers of a book, eight at a time, and returns at once.
class Tellers {
public:
    using Call = std::function<Result<std::int64_t>(const Transfer&)>;
    Tellers(MoneyBook& book, std::uint64_t seed, Call call, Crowd crowd = Crowd::small,
            int threads = 8);
    Tellers(const Tellers&) = delete;
    Tellers& operator=(const Tellers&) = delete;

    // Returns when so many have ended, or all.
    void await(int ended) const;

private:
    void work();

    MoneyBook& book_;
    std::uint64_t seed_;
    Call call_;
    Crowd crowd_;
    std::atomic<int> next_{0};
    std::vector<std::jthread> threads_;
};
[[nodiscard]] Tellers::Call with_transact(sql::Database& database, Asks asks = Asks::nobody);

// Ends a session by chance every few milliseconds, until it is destroyed. Sessions are ended by
// `victim`, which gives the statement for it, or nothing where it has ended one by asking.
class Terror {
public:
    Terror(std::shared_ptr<sql::Driver> driver, std::string victim, Duration every);
    Terror(const Terror&) = delete;
    Terror& operator=(const Terror&) = delete;

    [[nodiscard]] int ended() const noexcept { return ended_.load(std::memory_order_relaxed); }

private:
    void work(const std::stop_token& stop);

    sql::Database database_;
    std::string victim_;
    Duration every_;
    std::atomic<int> ended_{0};
    std::jthread thread_;
};

[[nodiscard]] std::shared_ptr<sql::Driver> must_drive(Result<std::shared_ptr<sql::Driver>> driver);

}  // namespace perdure::live
