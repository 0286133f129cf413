// SPDX-License-Identifier: Apache-2.0
//
// Who clears old tokens away? A thread that sleeps nearly always, at a time of its own on each host.
#pragma once

#include <mutex>
#include <thread>

#include "perdure/sql/database.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Safe for any number of threads. The destructor waits for one batch at most.
class Purge {
public:
    explicit Purge(Database::Inside& inside) noexcept : inside_{inside} {}

    // The first transaction with a token starts it, if the options want one.
    void start();

private:
    void work(const std::stop_token& stop);
    void purge(const std::stop_token& stop);

    Database::Inside& inside_;
    std::once_flag once_;
    std::jthread thread_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
