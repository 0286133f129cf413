// SPDX-License-Identifier: Apache-2.0
//
// Does a load that is killed three times, with one session call in ten going wrong, end with exactly
// what was sent? And does its memory stay where it is, however long the input?
#include <algorithm>
#include <array>
#include <iostream>
#include <tuple>

#include "live/load/support/load_case.hpp"

namespace perdure::live {
namespace {

enum class Key : bool { none, id };

class LoadKilled : public ::testing::TestWithParam<std::tuple<std::string, Key>> {
protected:
    void SetUp() override {
        if (!place().missing().empty()) GTEST_SKIP() << place().missing();
        place().clear();
        if (key() == Key::none) records.twins = Twins::yes;
        home.write("orders.jsonl", json_lines(records));
    }

    [[nodiscard]] static Place& place() { return place_of(std::get<0>(GetParam())); }
    [[nodiscard]] static Key key() { return std::get<1>(GetParam()); }
    [[nodiscard]] LoadOrders orders(const std::string& seed) const {
        LoadOrders made{.flags = {"orders.jsonl", "--to", place().url(), "--table", "orders",
                                  "--create", "--faults", "10%", "--faults-seed", seed, "--batch",
                                  std::to_string(batch)},
                        .home = home.path()};
        if (key() == Key::id) made.flags.insert(made.flags.end(), {"--key", "id"});
        return made;
    }
    // Whether it was still at work when enough rows were there.
    bool kill_at(double share) {
        const std::string seed = new_seed();
        Loading loading{orders(seed)};
        const auto enough = static_cast<std::int64_t>(share * records.count);
        becomes_true([&] { return !loading.running() || records_done(place().direct()) >= enough; },
                     10min);
        const bool at_work = loading.running();
        loading.kill();
        const LoadEnd end = loading.wait();
        EXPECT_EQ(end.status, 128 + 9) << "seed " << seed << "\n" << end.words();
        std::cout << "killed with " << rows_in(place().direct()) << " rows\n";
        return at_work;
    }

    Records records{.count = records_or(5'000)};
    int batch = long_form() ? 1'000 : 100;
    TempDir home;
};

TEST_P(LoadKilled, at_30_60_and_90_percent_and_full_of_faults_ends_with_what_was_sent) {
    for (const double share : {0.3, 0.6, 0.9}) ASSERT_TRUE(kill_at(share));
    const std::string seed = new_seed();
    LoadOrders last = orders(seed);
    last.flags.emplace_back("--verify");
    const LoadEnd end = load(last);
    SCOPED_TRACE("seed " + seed + "\n" + end.words());
    std::cout << end.out;
    ASSERT_EQ(end.status, 0);
    EXPECT_EQ(differences(place().direct(), records), "");
    EXPECT_EQ(end.number("account_with_earlier_runs", "read"), records.count);
    EXPECT_EQ(end.number("account_with_earlier_runs", "written"), records.count);
    EXPECT_EQ(end.number("account_with_earlier_runs", "already_there"), 0);
    EXPECT_EQ(end.number("account_with_earlier_runs", "rejected"), 0);
    EXPECT_EQ(end.number("account", "read"), end.number("account", "written"));
    EXPECT_LE(end.number("read_again"), batch * end.number("workers"));
    EXPECT_NE(end.out.find("\"verified\":true"), std::string::npos);
    EXPECT_EQ(rows_in(place().direct(), "perdure_load_range"), 1);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<std::string, Key>>& of) {
    return std::get<0>(of.param) + (std::get<1>(of.param) == Key::id ? "_keyed" : "_by_place");
}
INSTANTIATE_TEST_SUITE_P(Live, LoadKilled,
                         ::testing::Combine(::testing::Values("sqlite", "postgres", "mariadb"),
                                            ::testing::Values(Key::none, Key::id)),
                         name_of);

class LoadMemory : public LoadCase {
protected:
    // The middle of three: some faults ask for another session, which takes its own.
    std::int64_t middle_peak_of(int count) {
        std::array peaks{peak_of(count), peak_of(count), peak_of(count)};
        std::ranges::sort(peaks);
        return peaks[1];
    }

private:
    std::int64_t peak_of(int count) {
        place().clear();
        home.write(input, json_lines({.count = count}));
        const std::string seed = new_seed();
        Loading loading{orders({"--create", "--key", "id", "--faults", "10%", "--faults-seed", seed,
                                "--batch", long_form() ? "1000" : "100"})};
        std::int64_t peak = 0;
        becomes_true(
            [&] {
                peak = std::max(peak, loading.peak_kib());
                return !loading.running();
            },
            5min);
        const LoadEnd end = loading.wait();
        EXPECT_EQ(end.status, 0) << "seed " << seed << "\n" << end.words();
        EXPECT_EQ(rows_in(direct()), count);
        return peak;
    }
};

TEST_P(LoadMemory, of_ten_times_the_records_is_the_same) {
    const int many = long_form() ? records_or(0) : 10'000;
    const std::int64_t few_kib = middle_peak_of(many / 10);
    const std::int64_t many_kib = middle_peak_of(many);
    std::cout << GetParam() << ": peak of " << many / 10 << " records " << few_kib << " KiB, of "
              << many << " " << many_kib << " KiB, "
              << static_cast<double>(many_kib) / static_cast<double>(few_kib) << " times\n";
    EXPECT_LE(many_kib * 10, few_kib * 11);
}

INSTANTIATE_TEST_SUITE_P(Live, LoadMemory, ::testing::Values("sqlite", "postgres", "mariadb"));

}  // namespace
}  // namespace perdure::live
