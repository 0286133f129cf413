// SPDX-License-Identifier: Apache-2.0
//
// A directory of its own for each test, and short words for what tests do with sessions.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/sql/rows.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::sql::testing {

class Place {
public:
    Place() {
        std::string name =
            (std::filesystem::temp_directory_path() / "perdure-sqlite-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return (path_ / name).string();
    }
    [[nodiscard]] std::string string() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

inline Bounds within(Duration wait, Clock& clock = system_clock()) {
    return {.deadline = Deadline::in(wait, clock.now())};
}

inline Result<std::unique_ptr<Session>> connect(Driver& driver, Clock& clock = system_clock()) {
    return driver.connect({.bounds = within(5s, clock)}, clock);
}

// Fails the test when it cannot be opened.
inline std::unique_ptr<Session> open(Driver& driver, Clock& clock = system_clock()) {
    auto session = connect(driver, clock);
    EXPECT_TRUE(session) << to_string(session.error());
    return session ? *std::move(session) : nullptr;
}

inline std::shared_ptr<Driver> driver_for(std::string_view where, SqliteOptions options = {}) {
    auto driver = sqlite(where, options);
    EXPECT_TRUE(driver) << to_string(driver.error());
    return driver ? *std::move(driver) : nullptr;
}

template <class... P>
Result<Done> execute(Session& session, std::string_view text, const P&... values) {
    const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
    RowBuffer rows{1u << 20u};
    return session.run({text, parameters}, rows, within(5s));
}

template <class... P>
Result<Rows> query(Session& session, std::string_view text, const P&... values) {
    const std::array<Parameter, sizeof...(P)> parameters{Parameter{values}...};
    RowBuffer rows{1u << 20u};
    auto done = session.run({text, parameters}, rows, within(5s));
    if (!done) return done.take_failure();
    return rows.take();
}

// -1: it could not be asked.
inline std::int64_t number(Session& session, std::string_view text) {
    auto rows = query(session, text);
    EXPECT_TRUE(rows) << to_string(rows.error());
    return rows ? rows->single<std::int64_t>().value_or(-1) : -1;
}

}  // namespace perdure::sql::testing

// For steps a test stands on.
#define MUST(expression)                                                                           \
    do {                                                                                           \
        auto must_have = (expression);                                                             \
        ASSERT_TRUE(must_have) << #expression ": " << to_string(must_have.error());                \
    } while (false)
