// SPDX-License-Identifier: Apache-2.0
//
// Where does a call wait that cannot be made without waiting? On a thread of the database's own, while
// the coroutine that wants it holds none.
//
//     Offload asking{workers, executor, [&] { return session.run(statement, rows, bounds); }};
//     const auto done = co_await asking;
//
// The client libraries of SQLite and ODBC know no other way, and a hop costs a hundredth of a round
// trip; so every database is driven like this (docs/decisions/2026-11-16-sql-coroutines.md).
#pragma once

#include <condition_variable>
#include <coroutine>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Threads that are started as they are needed. Safe for any number of threads. The destructor waits
// for the jobs under way, all of which end by their deadlines.
class Workers {
public:
    explicit Workers(int most) noexcept : most_{most} {}
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers();

    // The job lives until it has run: on the calling thread, if the system has no thread at all for us.
    void post(Job& job);

private:
    void work();
    [[nodiscard]] bool add_thread();

    const int most_;
    std::mutex mutex_;
    std::condition_variable news_;
    Job* first_ = nullptr;
    Job* last_ = nullptr;
    int queued_ = 0;
    int idle_ = 0;
    bool closing_ = false;
    std::vector<std::jthread> threads_;
};

// Awaited once; resumes on the executor's thread.
template <class Function>
class [[nodiscard]] Offload {
public:
    using Value = std::invoke_result_t<Function&>;

    Offload(Workers& workers, Executor& executor, Function function)
        : workers_{&workers}, executor_{&executor}, function_{std::move(function)} {}
    Offload(const Offload&) = delete;
    Offload& operator=(const Offload&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
        waiting_ = waiting;
        workers_->post(there_);
    }
    Value await_resume() {
        if (thrown_) std::rethrow_exception(thrown_);
        return *std::move(value_);
    }

private:
    struct There : Job {
        explicit There(Offload* whose) noexcept
            : Job{[](Job& job) { static_cast<There&>(job).offload->run(); }}, offload{whose} {}
        Offload* offload;
    };
    struct Back : Job {
        explicit Back(Offload* whose) noexcept
            : Job{[](Job& job) { static_cast<Back&>(job).offload->waiting_.resume(); }},
              offload{whose} {}
        Offload* offload;
    };
    void run() noexcept {
        try {
            value_.emplace(function_());
        } catch (...) {
            thrown_ = std::current_exception();
        }
        executor_->post(back_);
    }

    Workers* workers_;
    Executor* executor_;
    Function function_;
    std::optional<Value> value_{};
    std::exception_ptr thrown_{};
    std::coroutine_handle<> waiting_{};
    There there_{this};
    Back back_{this};
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
