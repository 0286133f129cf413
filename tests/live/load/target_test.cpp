// SPDX-License-Identifier: Apache-2.0
//
// Does a load say why it stopped when the target is full, read-only, locked or not for us, and go on
// when that is over?
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "live/load/support/load_case.hpp"
#include "perdure/sql/manual.hpp"

#include <sys/mount.h>

namespace perdure::live {
namespace {

class LoadTarget : public LoadCase {
protected:
    // Stopped, said where and why, and no record was lost or written on the way. Status 7: the same
    // command does not pass until a person has changed something; 5: it may.
    void expect_stopped(const LoadEnd& end, int status = 7) {
        EXPECT_EQ(end.status, status) << end.words();
        EXPECT_GT(end.words().size(), 20u);
    }
};

TEST_P(LoadTarget, that_may_only_be_read_is_left_alone_and_loaded_by_who_may_write) {
    home.write(input, json_lines({.count = 300}));
    place().make_orders();
    const LoadEnd end = load({"--key", "id", "--patience", "2s"}, place().url_of_reader());
    expect_stopped(end);
    EXPECT_EQ(rows_in(direct()), 0);
    expect_all(load({"--key", "id", "--verify"}), {.count = 300}, 300);
}

// The ledger is there already, so that it is the load itself that is refused.
TEST_P(LoadTarget, that_becomes_read_only_between_two_runs_says_so_with_the_place) {
    home.write(input, json_lines({.count = 300}));
    expect_all(load({"--create", "--key", "id"}), {.count = 300}, 300);
    home.write(input, json_lines({.count = 600}));
    const LoadEnd end = load({"--key", "id", "--patience", "2s"}, place().url_of_reader());
    expect_stopped(end);
    EXPECT_EQ(rows_in(direct()), 300);
    expect_all(load({"--key", "id", "--verify"}), {.count = 600}, 600);
}

TEST_P(LoadTarget, that_does_not_let_us_in_says_so) {
    home.write(input, json_lines({.count = 30}));
    const LoadEnd end = load({"--create", "--patience", "2s"}, place().url_of_stranger());
    expect_stopped(end);
    EXPECT_EQ(end.words().find("wrong@"), std::string::npos) << "the password is not for telling";
    expect_all(load({"--create"}), {.count = 30}, 30);
}

// With the default patience, a minute, of which nothing is spent: another try would not help.
TEST_P(LoadTarget, whose_login_only_a_person_can_mend_says_so_at_once_in_its_own_words) {
    // libpq and Connector/C read these; whoever runs the test may have set them.
    for (const char* name : {"PGPASSWORD", "PGSERVICE", "MYSQL_PWD"}) ::unsetenv(name);
    ::setenv("PGPASSFILE", "/nonexistent/pgpass", 1);
    home.write(input, json_lines({.count = 30}));
    for (const auto& [url, words] : place().refused()) {
        SCOPED_TRACE(words);
        const TimePoint begun = system_clock().now();
        const LoadEnd end = load({"--create", "--key", "id"}, url);
        EXPECT_LT(system_clock().now() - begun, 30s) << "half of the patience";
        expect_stopped(end);
        EXPECT_NE(end.words().find(words), std::string::npos) << end.words();
        EXPECT_NE(end.out.find("\"status\":7"), std::string::npos) << end.out;
        EXPECT_EQ(end.words().find("hunter2"), std::string::npos)
            << "a password is not for telling";
    }
    ::unsetenv("PGPASSFILE");
    expect_all(load({"--create", "--key", "id"}), {.count = 30}, 30);
}

// Mounts a small file system for as long as it lives.
class TinyDisk {
public:
    explicit TinyDisk(std::string at)
        : at_{std::move(at)},
          mounted_{::mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=768k,mode=777") == 0} {}
    TinyDisk(const TinyDisk&) = delete;
    TinyDisk& operator=(const TinyDisk&) = delete;
    ~TinyDisk() {
        if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool mounted() const noexcept { return mounted_; }
    [[nodiscard]] bool grow() const {
        return ::mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT, "size=64m,mode=777") == 0;
    }

private:
    std::string at_;
    bool mounted_;
};

TEST_P(LoadTarget, whose_disk_is_full_says_so_with_the_place_and_goes_on_when_there_is_room) {
    const Records records{.count = 10'000};
    home.write(input, json_lines(records));
    const TempDir outer;
    const TinyDisk disk{outer.path()};
    if (!disk.mounted()) GTEST_SKIP() << "only root can make a disk that is full";
    place().make_orders_in(outer.path());
    const LoadEnd end = load({"--key", "id", "--batch", "200", "--patience", "3s"});
    expect_stopped(end, 5);
    EXPECT_NE(end.words().find("orders.jsonl:"), std::string::npos) << end.words();
    EXPECT_GT(rows_in(direct()), 0) << end.words();
    EXPECT_EQ(rows_in(direct()), end.number("account", "written")) << end.words();
    ASSERT_TRUE(disk.grow());
    expect_all(load({"--key", "id", "--batch", "200", "--verify"}), records, records.count);
    place().leave();
}

TEST_P(LoadTarget, that_two_load_the_same_input_into_holds_every_record_once) {
    const Records records{.count = 5'000, .twins = Twins::yes};
    home.write(input, json_lines(records));
    place().make_orders("");
    std::array<LoadEnd, 2> ends;
    {
        Loading first{orders({"--batch", "10"})};
        Loading second{orders({"--batch", "10"})};
        ends[1] = second.wait();
        ends[0] = first.wait();
    }
    int stopped = 0;
    for (const LoadEnd& end : ends) {
        EXPECT_TRUE(end.status == 0 || end.status == 5) << end.status << end.words();
        if (end.status != 5) continue;
        ++stopped;
        EXPECT_NE(end.words().find("orders.jsonl:"), std::string::npos) << end.words();
    }
    // Whoever comes second takes the input over, and the first stops; unless SQLite lets the second in
    // only when the first is done, and nothing is left to do. Either way each record is written once,
    // and both accounts together say so.
    const auto written = [&](int which) { return ends[which].number("account", "written"); };
    if (stopped == 0) {
        EXPECT_EQ(std::min(written(0), written(1)), 0) << ends[0].words() << ends[1].words();
    }
    EXPECT_EQ(written(0) + written(1), records.count) << ends[0].words() << ends[1].words();
    expect_all(load({"--verify"}), records, records.count);
}

TEST_P(LoadTarget, that_is_locked_for_longer_than_its_patience_stops_the_load_and_not_for_ever) {
    const Records records{.count = 1'000};
    home.write(input, json_lines(records));
    expect_all(load({"--create"}), records, 1'000);
    home.write(input, json_lines({.count = 2'000}));
    const bool sqlite = GetParam() == "sqlite";
    {
        sql::WithoutRetries alone{direct()};
        auto held = alone.begin();
        ASSERT_TRUE(held) << to_string(held.error());
        const auto locked = (*held)->execute(sqlite ? "update orders set id = id where id = 1"
                                             : GetParam() == "postgres"
                                                 ? "lock table orders in exclusive mode"
                                                 : "select * from orders where id > 0 for update");
        EXPECT_TRUE(locked) << to_string(locked.error());
        const LoadEnd end = load({"--batch", "100", "--patience", "1s"});
        expect_stopped(end, 5);
        EXPECT_NE(end.words().find("\"at\":\"orders.jsonl"), std::string::npos) << end.words();
    }
    expect_all(load({"--batch", "100", "--verify"}), {.count = 2'000}, 2'000);
}

INSTANTIATE_TEST_SUITE_P(Live, LoadTarget, ::testing::Values("sqlite", "postgres", "mariadb"));

}  // namespace
}  // namespace perdure::live
