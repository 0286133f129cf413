// SPDX-License-Identifier: Apache-2.0
//
// Who clears old tokens away? A thread that sleeps nearly always, at a time of its own on each host. Each
// batch is a call that observers, journals and metrics see, with time, budget and statistics of its own.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "perdure/sql/database.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Safe for any number of threads. The destructor stops the batch that is under way.
class Purge {
public:
    explicit Purge(Database::Inside& inside);

    // The first transaction with a token starts the thread, if the options want one. If the system has
    // none left, that is counted as a failure, and the next transaction tries again.
    void start();
    // Deletes all old tokens now; says how many. Counted like the thread's own.
    [[nodiscard]] Result<std::int64_t> run(const std::stop_token& stop);
    [[nodiscard]] PurgeCounts counts() const;

private:
    void work(const std::stop_token& stop);
    void add_index(const std::stop_token& stop);
    [[nodiscard]] Result<Purged> purge_batch(const std::string& from, const std::stop_token& stop);
    void note(const Failure& failure, std::string_view where);

    Database::Inside& inside_;
    Caller caller_;
    mutable std::mutex mutex_;
    PurgeCounts counts_;  // under the mutex
    std::mutex starting_;
    std::atomic<bool> started_{false};
    std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
