// SPDX-License-Identifier: Apache-2.0
//
// Who makes the calls that may never return? A thread of the session's own. It is never waited for:
// a session that goes away leaves it to close the link and to end by itself.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "sql/odbc/link.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// Called by the session; the thread holds it too, so it lives as long as either.
class Worker {
public:
    using Task = std::function<void(Link&)>;

    // Fails with `exhausted` when there are no threads left.
    static Result<std::shared_ptr<Worker>> start(std::size_t prepared_statements);

    // One task at a time: only after the one before has ended.
    void hand(Task task);
    // After the task at hand, if any, the link is closed and the thread ends.
    void dismiss();
    // Asks the driver to break off the running statement, from yet another thread, because the asking
    // may open a connection of its own. Nobody waits for it.
    static void cancel(const std::shared_ptr<Worker>& worker) noexcept;

private:
    explicit Worker(std::size_t prepared_statements) : prepared_statements_{prepared_statements} {}
    void live();
    Task next();

    const std::size_t prepared_statements_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Task task_;
    bool dismissed_ = false;
    Running running_;
};

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
