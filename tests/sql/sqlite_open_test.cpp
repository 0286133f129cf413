// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <fstream>

#include "perdure/sql/sqlite.hpp"
#include "sqlite_place.hpp"

namespace perdure::sql {
namespace {

using testing::connect;
using testing::driver_for;
using testing::execute;
using testing::number;
using testing::open;
using testing::Place;
using testing::query;

std::string name_for(std::string_view where) {
    const auto driver = sqlite(where);
    return driver ? std::string{(*driver)->name()} : "refused: " + driver.error().message;
}

TEST(Sqlite, reads_paths_and_urls) {
    const std::string here = std::filesystem::current_path().string();
    const std::pair<std::string, std::string> cases[] = {
        {"bank.db", "sqlite " + here + "/bank.db"},
        {"/var/lib/bank.db", "sqlite /var/lib/bank.db"},
        {"file:bank.db?mode=ro", "sqlite " + here + "/bank.db"},
        {"file:///var/lib/bank.db", "sqlite /var/lib/bank.db"},
        {"file:/var/lib/bank.db", "sqlite /var/lib/bank.db"},
        {"sqlite:bank.db", "sqlite " + here + "/bank.db"},
        {"sqlite:///var/lib/bank.db?mode=rw", "sqlite /var/lib/bank.db"},
        {"sqlite://localhost/var/lib/bank.db", "sqlite /var/lib/bank.db"},
        {"sqlite:/a%20b%3F.db?vfs=unix&cache=private#part", "sqlite /a b?.db"},
        {"/50%.db", "sqlite /50%.db"},
        {":memory:", "sqlite :memory:"},
        {"sqlite::memory:", "sqlite :memory:"},
        {"file::memory:", "sqlite :memory:"},
    };
    for (const auto& [where, name] : cases) EXPECT_EQ(name_for(where), name) << where;
}

TEST(Sqlite, refuses_urls_that_cannot_be_meant) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"", "empty"},
        {"sqlite:", "empty"},
        {"sqlite://bank.db", "names a host"},
        {"file:bank.db?mod=ro", "unknown parameter 'mod'"},
        {"file:bank.db?mode=readonly", "ro, rw or rwc"},
        {"file:bank.db?mode=memory", "write :memory:"},
        {"file:bank.db?cache=shared", "shared cache"},
        {"file:bank%2.db", "hexadecimal"},
        {"file:bank%00.db", "NUL"},
        {std::string_view{"bank\0.db", 8}, "NUL"},
    };
    for (const auto& [where, reason] : cases) {
        const auto driver = sqlite(where);
        ASSERT_FALSE(driver) << where;
        EXPECT_EQ(driver.error().cause, Cause::invalid) << where;
        EXPECT_NE(driver.error().message.find(reason), std::string::npos)
            << where << ": " << driver.error().message;
    }
}

TEST(Sqlite, tells_why_a_file_cannot_be_opened) {
    const Place place;
    std::ofstream{place / "text.db"} << "this is no database, whatever its name may say about it\n";
    std::filesystem::create_directory(place / "folder.db");
    std::filesystem::create_symlink(place / "nobody.db", place / "link.db");
    struct Case {
        std::string name;
        SqliteOptions options;
        Cause cause;
        std::string_view code, reason;
    };
    const Case cases[] = {
        {"missing/a.db", {}, Cause::not_found, "14", "missing' does not exist"},
        {"absent.db", {.create = Creation::must_exist}, Cause::not_found, "14", "does not exist"},
        {"folder.db", {}, Cause::invalid, "14", "it is a directory"},
        {"text.db/a.db", {}, Cause::invalid, "14", "not a directory"},
        {"link.db", {.create = Creation::must_exist}, Cause::not_found, "14", "link"},
        {"text.db", {}, Cause::invalid, "26", "file is not a database"},
    };
    for (const auto& [name, options, cause, code, reason] : cases) {
        const auto driver = driver_for(place / name, options);
        const auto session = connect(*driver);
        ASSERT_FALSE(session) << name;
        const Failure& failure = session.error();
        EXPECT_EQ(failure.cause, cause) << name << ": " << to_string(failure);
        EXPECT_EQ(failure.effect, Effect::none) << name;
        EXPECT_EQ(failure.code, code) << name;
        EXPECT_NE(failure.message.find(place.string()), std::string::npos) << failure.message;
        EXPECT_NE(failure.message.find(reason), std::string::npos) << failure.message;
    }
}

TEST(Sqlite, tells_that_a_file_or_its_directory_may_not_be_written) {
    if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everything";
    const Place place;
    namespace fs = std::filesystem;
    fs::create_directory(place / "d");
    open(*driver_for(place / "d/a.db", {.journal = Journal::as_it_is}));
    fs::permissions(place / "d/a.db", fs::perms::owner_read);
    const auto read_only = connect(*driver_for(place / "d/a.db"));
    ASSERT_FALSE(read_only);
    EXPECT_EQ(read_only.error().cause, Cause::forbidden);
    fs::permissions(place / "d", fs::perms::owner_read | fs::perms::owner_exec);
    const auto shut = connect(*driver_for(place / "d/b.db"));
    ASSERT_FALSE(shut);
    EXPECT_EQ(shut.error().cause, Cause::forbidden);
    EXPECT_NE(shut.error().message.find("may not be written"), std::string::npos);
    fs::permissions(place / "d", fs::perms::owner_all);
}

TEST(Sqlite, sets_what_its_options_say_in_each_session) {
    const Place place;
    const auto driver = driver_for(place / "a.db", {.synchronous = Synchronous::normal,
                                                    .foreign_keys = ForeignKeys::enforced});
    for (int i = 0; i < 2; ++i) {
        const auto session = open(*driver);
        auto mode = query(*session, "pragma journal_mode");
        ASSERT_TRUE(mode);
        EXPECT_EQ(mode->single<std::string>().value_or(""), "wal");
        EXPECT_EQ(number(*session, "pragma synchronous"), 1);
        EXPECT_EQ(number(*session, "pragma foreign_keys"), 1);
    }
    const auto plain = open(*driver_for(place / "b.db", {.journal = Journal::as_it_is}));
    auto mode = query(*plain, "pragma journal_mode");
    ASSERT_TRUE(mode);
    EXPECT_EQ(mode->single<std::string>().value_or(""), "delete");
}

TEST(Sqlite, opens_to_read_only) {
    const Place place;
    {
        const auto session = open(*driver_for(place / "a.db"));
        MUST(execute(*session, "create table t (x)"));
    }
    const auto reader = open(*driver_for("file:" + (place / "a.db") + "?mode=ro"));
    EXPECT_EQ(number(*reader, "select count(*) from t"), 0);
    const auto written = execute(*reader, "insert into t values (1)");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "8");
    EXPECT_EQ(written.error().cause, Cause::forbidden);
    EXPECT_EQ(written.error().effect, Effect::none);
}

TEST(Sqlite, shares_a_database_in_memory_among_the_sessions_of_one_driver) {
    const auto driver = driver_for(":memory:");
    {
        const auto session = open(*driver);
        MUST(execute(*session, "create table t (x)"));
        MUST(execute(*session, "insert into t values (1)"));
    }
    const auto one = open(*driver), two = open(*driver);
    MUST(execute(*one, "insert into t values (2)"));
    EXPECT_EQ(number(*two, "select count(*) from t"), 2);
    const auto other = open(*driver_for(":memory:"));
    EXPECT_FALSE(query(*other, "select * from t")) << "another driver has another database";
}

TEST(Sqlite, does_not_open_when_the_time_is_over_or_nobody_waits) {
    const Place place;
    const auto driver = driver_for(place / "a.db");
    const auto late = driver->connect({.bounds = testing::within(0s)}, system_clock());
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "deadline");
    std::stop_source source;
    source.request_stop();
    const auto stopped = driver->connect({.bounds = {.stop = source.get_token()}}, system_clock());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().cause, Cause::cancelled);
    EXPECT_FALSE(std::filesystem::exists(place / "a.db"));
}

}  // namespace
}  // namespace perdure::sql
