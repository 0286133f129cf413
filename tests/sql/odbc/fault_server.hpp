// SPDX-License-Identifier: Apache-2.0
//
// How do tests reach the ODBC driver that fails as planned? It stands beside the test program.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "perdure/sql/odbc.hpp"
#include "perdure/sql/rows.hpp"

namespace perdure::sql {

// Tests use it one at a time: the driver has one store and one plan.
class FaultServer : public ::testing::Test {
protected:
    void SetUp() override {
        const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        path_ = (here / "libperdure_odbc_fault.so").string();
        library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library_) GTEST_SKIP() << "the driver is not built: " << path_;
        call<void()>("perdure_odbc_fault_reset")();
        auto made = odbc("Driver=" + path_);
        ASSERT_TRUE(made);
        driver_ = *made;
    }
    void TearDown() override {
        if (!library_) return;
        release();
        await("links", 0);  // threads that were left are not to meet the next test
    }

    template <class F>
    F* call(const char* name) const {
        return reinterpret_cast<F*>(dlsym(library_, name));
    }
    void plan(const std::string& text) const {
        ASSERT_EQ(call<int(const char*)>("perdure_odbc_fault_plan")(text.c_str()), 1) << text;
    }
    void release() const { call<void()>("perdure_odbc_fault_release")(); }
    [[nodiscard]] long count(const char* what) const {
        return call<long(const char*)>("perdure_odbc_fault_count")(what);
    }
    // Until another thread has come so far; the test's own limit of time bounds it.
    void await(const char* what, long wanted) const {
        Clock& clock = system_clock();
        const Deadline limit = Deadline::in(5s, clock.now());
        while (count(what) != wanted && !limit.passed(clock.now()))
            clock.sleep_until(clock.now() + 1ms, {});
        ASSERT_EQ(count(what), wanted) << what;
    }

    [[nodiscard]] static Bounds within(Duration time) {
        return {.deadline = Deadline::in(time, system_clock().now())};
    }
    [[nodiscard]] std::unique_ptr<Session> connect() const {
        auto session = driver_->connect({.bounds = within(10s)}, system_clock());
        EXPECT_TRUE(session) << (session ? "" : to_string(session.error()));
        return session ? *std::move(session) : nullptr;
    }
    static Result<Done> run(Session& session, std::string_view text,
                            std::vector<Parameter> parameters = {},
                            const Bounds& bounds = within(10s)) {
        RowBuffer rows{1 << 20};
        return session.run({text, parameters}, rows, bounds);
    }
    static Result<Rows> query(Session& session, std::string_view text,
                              std::vector<Parameter> parameters = {}) {
        RowBuffer rows{64 << 20};
        auto done = session.run({text, parameters}, rows, within(10s));
        if (!done) return done.take_failure();
        return rows.take();
    }

    void* library_ = nullptr;
    std::string path_;
    std::shared_ptr<Driver> driver_;
};

}  // namespace perdure::sql
