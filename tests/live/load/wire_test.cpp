// SPDX-License-Identifier: Apache-2.0
//
// Does a load survive what really happens to servers: COMMITs lost on the wire, and a kill -9 in the
// middle, shorter and longer than its patience?
#include <iostream>

#include "live/load/support/load_case.hpp"
#include "live/support/sql_link.hpp"

namespace perdure::live {
namespace {

class LoadWire : public LoadCase {
protected:
    const Records records{.count = records_or(5'000), .twins = Twins::yes};
    void SetUp() override {
        LoadCase::SetUp();
        home.write(input, json_lines(records));
    }
};

TEST_P(LoadWire, that_loses_commits_before_after_and_half_open_loses_no_record) {
    const std::string seed = new_seed();
    SqlLink link{place().port(),
                 {.before = 0.04,
                  .after = 0.04,
                  .answered = 0.04,
                  .half_open = 0.04,
                  .late = 0.02,
                  .seed = std::stoull(seed)}};
    const LoadEnd end =
        load({"--create", "--workers", "4", "--batch", "50"}, place().url(link.port()));
    SCOPED_TRACE("seed " + seed);
    std::cout << link.cuts() << " COMMITs lost, " << end.out;
    expect_all(end, records, records.count);
    EXPECT_GT(link.cuts(), 0u);
    EXPECT_GT(end.number("outcomes_asked"), 0) << end.words();
    EXPECT_EQ(rows_in(direct(), "perdure_load_range"), 1);
}

TEST_P(LoadWire, whose_server_is_killed_and_comes_back_is_waited_for) {
    Loading loading{orders({"--create", "--workers", "4", "--batch", "20"})};
    for (const int part : {3, 6}) {
        await_records(loading, records.count * part / 10);
        ASSERT_TRUE(loading.running()) << loading.wait().words();
        place().kill9();
        place().start();
    }
    const LoadEnd end = loading.wait();
    expect_all(end, records, records.count);
    EXPECT_GT(end.number("retries"), 0) << end.words();
}

TEST_P(LoadWire, whose_server_stays_away_ends_the_load_and_the_next_one_goes_on) {
    const std::vector<std::string> flags{"--create", "--batch", "20", "--patience", "1s"};
    Loading loading{orders(flags)};
    await_records(loading, records.count / 3);
    ASSERT_TRUE(loading.running()) << loading.wait().words();
    place().kill9();
    const LoadEnd stopped = loading.wait(60s);
    EXPECT_EQ(stopped.status, 5) << stopped.words();
    EXPECT_NE(stopped.words().find("orders.jsonl:"), std::string::npos) << stopped.words();
    const LoadEnd in_vain = load(flags);
    EXPECT_EQ(in_vain.status, 5) << in_vain.words();
    place().start();
    const LoadEnd end = load({"--create", "--batch", "20", "--verify"});
    expect_all(end, records, records.count);
    EXPECT_LE(end.number("read_again"), 20 * end.number("workers")) << end.words();
}

INSTANTIATE_TEST_SUITE_P(Live, LoadWire, ::testing::Values("postgres", "mariadb"));

// Small enough for trees whose tool is built with sanitizers.
class LoadBrief : public LoadCase {};

TEST_P(LoadBrief, with_four_workers_and_faults_writes_every_record_once) {
    const Records records{.count = 2'000};
    input = "orders.csv";
    home.write(input, csv_lines(records));
    const std::string seed = new_seed();
    const LoadEnd end =
        load({"--create", "--key", "id", "--type", "tags=json", "--workers", "4", "--batch", "50",
              "--faults", "10%", "--faults-seed", seed, "--verify"});
    SCOPED_TRACE("seed " + seed);
    expect_all(end, records, records.count);
}

INSTANTIATE_TEST_SUITE_P(Live, LoadBrief, ::testing::Values("sqlite", "postgres", "mariadb"));

}  // namespace
}  // namespace perdure::live
