// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/sqlite.hpp"

#include <sqlite3.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "perdure/try.hpp"
#include "sql/sqlite/failures.hpp"
#include "sql/sqlite/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

constexpr int first_with_shared_memory = 3036000;

// `found`: the file was there once, so one that is missing now was taken away.
enum class Before : std::uint8_t { nothing, found };

int flags_of(const Location& where, const SqliteOptions& options, Before before) noexcept {
    // One thread at a time uses a session, so its own mutexes would be taken for nothing.
    constexpr int always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    const int url = where.memory || !where.parameters.empty() ? SQLITE_OPEN_URI : 0;
    const bool may_create =
        where.opening == Opening::create ||
        (where.opening == Opening::as_options_say && options.create == Creation::create_missing);
    const bool creates = where.memory || (may_create && before == Before::nothing);
    if (where.opening == Opening::read_only) return always | url | SQLITE_OPEN_READONLY;
    return always | url | SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0);
}

// Shared by any number of threads.
class SqliteDriver final : public Driver {
public:
    SqliteDriver(Location where, const SqliteOptions& options)
        : where_{std::move(where)}, options_{options}, name_{"sqlite " + where_.path} {
        if (where_.memory) open_name_ = memory_name();
        else open_name_ = where_.to_open();
    }

    [[nodiscard]] const Traits& traits() const noexcept override { return traits_; }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] std::string_view file() const noexcept override {
        return where_.memory ? std::string_view{} : where_.path;
    }
    [[nodiscard]] Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                           Clock& clock) override;

private:
    static std::string memory_name() {
        static std::atomic<unsigned> made{0};
        return "file:/perdure-" + std::to_string(made.fetch_add(1)) + "?vfs=memdb";
    }
    [[nodiscard]] Result<DatabaseHandle> open() const;
    [[nodiscard]] Result<void> keep_memory();

    const Location where_;
    const SqliteOptions options_;
    const std::string name_;
    const Traits traits_{};
    std::string open_name_;
    std::atomic<bool> opened_{false};  // once: a file that is missing later is not made anew
    std::mutex mutex_;
    DatabaseHandle keeper_;  // a database in memory lives as long as it is open somewhere
};

Result<DatabaseHandle> SqliteDriver::open() const {
    sqlite3* opened = nullptr;
    const Before before = opened_.load() ? Before::found : Before::nothing;
    const int code =
        sqlite3_open_v2(open_name_.c_str(), &opened, flags_of(where_, options_, before), nullptr);
    DatabaseHandle database{opened};
    if (code == SQLITE_OK) return database;
    const std::string says = opened ? sqlite3_errmsg(opened) : sqlite3_errstr(code);
    if (primary_code(code) == SQLITE_CANTOPEN) return fail(cannot_open(where_, says));
    return fail(failure_of_code(opened ? sqlite3_extended_errcode(opened) : code,
                                During::connecting, "cannot open '" + where_.path + "': " + says));
}

Result<void> SqliteDriver::keep_memory() {
    const std::lock_guard lock{mutex_};
    if (keeper_) return {};
    PERDURE_TRY_VALUE(keeper_, open());
    return {};
}

Result<std::unique_ptr<Session>> SqliteDriver::connect(const Connecting& how, Clock& clock) {
    if (how.bounds.stop.stop_requested())
        return fail(cut_failure(Cut::stopped, "before the database was opened"));
    if (how.bounds.deadline.passed(clock.now()))
        return fail(cut_failure(Cut::deadline, "before the database was opened"));
    if (where_.memory) PERDURE_TRY(keep_memory());
    PERDURE_TRY_VALUE(DatabaseHandle database, open());
    auto session = std::make_unique<SqliteSession>(std::move(database), where_, options_, clock);
    PERDURE_TRY(session->settle(how.bounds));
    opened_ = true;
    return std::unique_ptr<Session>{std::move(session)};
}

}  // namespace

Result<std::shared_ptr<Driver>> sqlite(std::string_view path_or_url, SqliteOptions options) {
    PERDURE_TRY_VALUE(Location where, locate(path_or_url));
    if (sqlite3_threadsafe() == 0)
        return fail(refused_call("not-thread-safe", "this SQLite was built for a single thread"));
    if (where.memory && sqlite3_libversion_number() < first_with_shared_memory)
        return fail(refused_call("memory", ":memory: needs SQLite 3.36 or newer"));
    return std::shared_ptr<Driver>{std::make_shared<SqliteDriver>(std::move(where), options)};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
