// SPDX-License-Identifier: Apache-2.0
//
// What do workers do with a target that refuses, forgets or collides? One that does so as it is told.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "exit_code.hpp"
#include "load/engine/crew.hpp"
#include "load/engine/load_progress.hpp"
#include "load/engine/load_status.hpp"
#include "load/target/digest.hpp"
#include "load/target/invalid_load.hpp"
#include "perdure/testing/thread_limit.hpp"
#include "tools/load_memory_target.hpp"

namespace tool::load {
namespace {

using namespace perdure;

class LoadCrew : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("perdure-crew-" + std::to_string(::getpid()) + "-" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void input(int records) {
        std::ofstream file{folder_ / "in.jsonl"};
        for (int i = 1; i <= records; ++i) file << "{\"id\":" << i << "}\n";
    }
    void input_array(int records) {
        std::ofstream file{folder_ / "in.jsonl"};
        for (int i = 1; i <= records; ++i)
            file << (i == 1 ? "[" : "\n,\n") << "{\"id\":\n" << i << "}";
        file << "]";
        format_ = Format::json_array;
    }
    // The run's end; what it counted is in `tally_`.
    Ending run(int workers, std::size_t batch) {
        tally_ = std::make_unique<Tally>();
        const auto path = (folder_ / "in.jsonl").string();
        Feed feed{target_,
                  {{.options = {.path = path, .format = format_}, .name = "in"}},
                  {.limits = {.records = batch}},
                  *tally_};
        Crew crew{target_, feed, schema_, *tally_, {.workers = workers}};
        Ending ending = crew.end();
        if (!ending.failure) {
            EXPECT_TRUE(feed.close());
        }
        whole_ = feed.whole();
        return ending;
    }
    void expect_all_but(int records, const std::set<std::int64_t>& missing) {
        std::multiset<std::int64_t> wanted;
        for (int i = 1; i <= records; ++i)
            if (!missing.contains(i)) wanted.insert(i);
        EXPECT_EQ(target_.ids, wanted);
        EXPECT_TRUE(whole_.adds_up());
        EXPECT_EQ(whole_.read, static_cast<std::uint64_t>(records));
        EXPECT_EQ(whole_.rejected, missing.size());
    }

    std::filesystem::path folder_;
    std::optional<Format> format_{};
    MemoryTarget target_;
    Schema schema_{.columns = {{.name = "id", .type = Type::integer}}};
    std::unique_ptr<Tally> tally_;
    Account whole_;
};

TEST_F(LoadCrew, writes_every_record_once_with_any_number_of_workers_and_any_batch) {
    for (const int workers : {1, 4})
        for (const std::size_t batch : {1u, 7u, 1000u}) {
            SCOPED_TRACE(std::to_string(workers) + " workers, batches of " + std::to_string(batch));
            input(500);
            target_.start_over();
            EXPECT_FALSE(run(workers, batch).failure);
            expect_all_but(500, {});
        }
}

TEST_F(LoadCrew, loads_with_the_workers_that_could_be_started) {
    input(500);
    const perdure::testing::ThreadLimit one{1};
    EXPECT_FALSE(run(4, 7).failure);
    expect_all_but(500, {});
    EXPECT_EQ(tally_->workers, 0) << "none is left, and none was counted that never was";
}

TEST_F(LoadCrew, says_why_if_not_one_worker_could_be_started) {
    input(10);
    const perdure::testing::ThreadLimit none{0};
    const Ending ending = run(4, 7);
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(ending.failure->code, "no-thread");
    EXPECT_EQ(ending.failure->effect, Effect::none);
}

TEST_F(LoadCrew, halves_a_refused_batch_until_the_record_stands_alone) {
    input(1000);
    target_.disliked = {1, 500, 501, 1000};
    EXPECT_FALSE(run(1, 1000).failure);
    expect_all_but(1000, {1, 500, 501, 1000});
    EXPECT_EQ(target_.reasons.count("disliked"), 4u);
    EXPECT_LE(target_.writes, 4 * 2 * 11) << "about twice the depth for each";
}

TEST_F(LoadCrew, sends_a_batch_of_unknown_fate_again_and_finds_it_written_or_writes_it) {
    input(100);
    target_.unknown = {{0, 1}, {90, 2}};
    EXPECT_FALSE(run(1, 10).failure);
    expect_all_but(100, {});
}

TEST_F(LoadCrew, stops_at_a_failure_that_is_no_records_fault_and_goes_on_later) {
    input(100);
    target_.break_from = 490;
    target_.broken =
        Failure{.cause = Cause::unavailable, .effect = Effect::none, .message = "away"};
    const Ending ending = run(1, 10);
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(ending.failure->message, "away");
    EXPECT_TRUE(ending.where.ends_with("in.jsonl:51")) << ending.where;
    target_.broken.reset();
    EXPECT_FALSE(run(1, 10).failure);
    expect_all_but(100, {});
    EXPECT_EQ(tally_->earlier, 50u);
    EXPECT_EQ(tally_->records, 50u);
}

TEST_F(LoadCrew, goes_on_between_elements_of_an_array_whose_batch_was_halved) {
    for (std::uint64_t from = 10; from < 240; from += 7) {
        input_array(40);
        target_.start_over();
        target_.reasons.clear();
        target_.disliked = {17};
        target_.broken = Failure{.cause = Cause::unavailable, .message = "gone"};
        target_.break_from = from;
        EXPECT_TRUE(run(1, 40).failure) << from;
        target_.broken.reset();
        EXPECT_FALSE(run(1, 40).failure) << from;
        EXPECT_EQ(target_.ids.size(), 39) << from;
        EXPECT_EQ(std::set<std::int64_t>(target_.ids.begin(), target_.ids.end()).size(), 39);
        EXPECT_EQ(target_.reasons, (std::multiset<std::string>{"disliked"})) << from;
        const auto done = *target_.done("in");
        EXPECT_EQ(done.back().first_line + done.back().lines, 119) << from;
    }
}

TEST_F(LoadCrew, counts_what_an_earlier_run_had_in_hand_as_read_again) {
    input(100);
    target_.break_from = 490;
    target_.broken = Failure{.cause = Cause::unavailable, .effect = Effect::none};
    ASSERT_TRUE(run(4, 10).failure);
    target_.broken.reset();
    EXPECT_FALSE(run(4, 10).failure);
    expect_all_but(100, {});
    EXPECT_LE(tally_->read_again, 40u);
}

TEST_F(LoadCrew, gives_way_to_another_process_at_work_on_the_same_input) {
    input(100);
    tally_ = std::make_unique<Tally>();
    const auto path = (folder_ / "in.jsonl").string();
    Feed feed{
        target_, {{.options = {.path = path}, .name = "in"}}, {.limits = {.records = 10}}, *tally_};
    Batch first;
    ASSERT_TRUE(*feed.take(first));  // so it has looked into the ledger
    ASSERT_FALSE(run(1, 10).failure) << "the other one";
    Crew crew{target_, feed, schema_, *tally_, {.workers = 1}};
    const Ending ending = crew.end();
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(ending.failure->code, "taken");
    expect_all_but(100, {});
}

// By one worker: of several, those who come while one joins do not wait for it.
TEST_F(LoadCrew, joins_the_ledger_now_and_then) {
    input(1000);
    EXPECT_FALSE(run(1, 1).failure);
    EXPECT_GE(target_.merges, 5);
}

TEST_F(LoadCrew, stops_after_a_thousand_rejected_records_in_a_row) {
    input(5000);
    for (std::int64_t id = 101; id <= 5000; ++id) target_.disliked.insert(id);
    const Ending ending = run(1, 100);
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(ending.failure->code, "rejected-in-a-row");
    EXPECT_NE(ending.failure->message.find("disliked"), std::string::npos);
    EXPECT_EQ(ending.failure->message.find("--again"), std::string::npos) << "refused without keys";
    EXPECT_NE(ending.failure->message.find("file of rejected records"), std::string::npos);
    EXPECT_EQ(target_.ids.size(), 100u);
    EXPECT_EQ(whole_.rejected, 1000u);
}

TEST_F(LoadCrew, stops_at_the_thousandth_record_that_cannot_be_read_also_within_a_batch) {
    for (const int good : {0, 7, 100}) {
        std::ofstream file{folder_ / "in.jsonl"};
        for (int i = 1; i <= good; ++i) file << "{\"id\":" << i << "}\n";
        for (int i = 0; i < 1500; ++i) file << "{\"id\":\"x\"}\n";
        file.close();
        target_.start_over();
        const Ending ending = run(1, 2000);
        ASSERT_TRUE(ending.failure) << good;
        EXPECT_EQ(ending.failure->code, "rejected-in-a-row");
        EXPECT_TRUE(ending.where.ends_with("in.jsonl:" + std::to_string(good + 1001)));
        EXPECT_EQ(whole_.rejected, 1000u);
        EXPECT_EQ(target_.ids.size(), static_cast<std::size_t>(good));
    }
}

TEST_F(LoadCrew, counts_records_that_cannot_be_read_across_batches) {
    std::ofstream file{folder_ / "in.jsonl"};
    for (int i = 0; i < 3; ++i) file << "{\"id\":1}\n";
    for (int i = 0; i < 1200; ++i) file << "nonsense\n";
    file.close();
    const Ending ending = run(1, 600);
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(whole_.rejected, 1000u);
}

TEST_F(LoadCrew, names_the_line_behind_a_batch_where_the_ledger_could_not_be_joined) {
    input(1000);
    target_.break_merges = true;
    const Ending ending = run(1, 1);
    ASSERT_TRUE(ending.failure);
    EXPECT_TRUE(ending.where.ends_with("in.jsonl:129")) << ending.where;
}

TEST_F(LoadCrew, bears_any_number_of_rejected_records_that_are_not_in_a_row) {
    input(3000);
    std::set<std::int64_t> odd;
    for (std::int64_t id = 1; id <= 3000; id += 2) odd.insert(id);
    target_.disliked = odd;
    EXPECT_FALSE(run(1, 100).failure);
    expect_all_but(3000, odd);
}

TEST_F(LoadCrew, finishes_an_input_whose_last_records_are_all_rejected) {
    input(1000);
    std::set<std::int64_t> all;
    for (std::int64_t id = 1; id <= 1000; ++id) all.insert(id);
    target_.disliked = all;
    EXPECT_FALSE(run(1, 1000).failure) << "there is nothing left that could be spared";
    expect_all_but(1000, all);
}

// Of an input of one batch all is read at once: the share is 100 % while the batch is halved.
TEST_F(LoadCrew, tells_the_status_line_while_a_refused_batch_is_halved) {
    input(1000);
    target_.disliked = {500};
    std::vector<std::string> seen;
    target_.while_writing = [&] {
        seen.push_back(LoadProgress{*tally_, target_, system_clock()}.words());
    };
    EXPECT_FALSE(run(1, 1000).failure);
    ASSERT_GT(seen.size(), 2u);
    EXPECT_EQ(seen.front().find("halving"), std::string::npos) << seen.front();
    for (std::size_t i = 1; i < seen.size(); ++i)
        EXPECT_NE(seen[i].find(" · halving a refused batch"), std::string::npos) << seen[i];
    EXPECT_EQ(tally_->halving, 0);
}

// A person has to change something: the same command would stop here for ever.
TEST_F(LoadCrew, ends_with_status_7_where_the_target_finds_the_load_itself_wrong) {
    input(100);
    target_.break_from = 490;
    target_.broken = invalid_load("other-ids", "the records have other ids than before");
    const Ending ending = run(1, 10);
    ASSERT_TRUE(ending.failure);
    EXPECT_EQ(status_while_loading(*ending.failure), exit_code::needs_person);
    EXPECT_EQ(status_of(*ending.failure), exit_code::usage) << "before the first record";
}

TEST(LoadDigest, is_the_same_for_values_a_target_gives_back_in_its_own_way) {
    EXPECT_EQ(value_digest(Type::real, Value{std::int64_t{2}}),
              value_digest(Type::real, Value{2.0}));
    EXPECT_EQ(value_digest(Type::real, Value{-0.0}), value_digest(Type::real, Value{0.0}));
    EXPECT_EQ(value_digest(Type::boolean, Value{true}),
              value_digest(Type::boolean, Value{std::int64_t{1}}));
    EXPECT_EQ(value_digest(Type::other, Value{"2026-01-01"}),
              value_digest(Type::other, Value{"2026-01-01 00:00:00"}));
    EXPECT_NE(value_digest(Type::text, Value{""}), value_digest(Type::text, Value{}));
    EXPECT_NE(value_digest(Type::boolean, Value{false}), value_digest(Type::boolean, Value{}));
    EXPECT_NE(value_digest(Type::integer, Value{std::int64_t{0}}),
              value_digest(Type::integer, Value{}));
}

// Rows that it does not have any more are told by the run that ends it.
TEST(LoadFeed, knows_that_a_run_was_killed_before_it_ended_a_changed_input) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("perdure-killed-" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream{path} << "{\"id\":1}\n{\"id\":2}\n";
    const Schema schema{.columns = {{.name = "id", .type = Type::integer}}, .key = 0};
    for (const std::size_t batch : {1u, 2u}) {
        MemoryTarget target;
        target.version = 1;
        Tally tally;
        const FeedOptions options{.limits = {.records = batch}, .identity = Identity::by_key};
        const Input input{.options = {.path = path}, .name = "in"};
        Feed killed{target, {input}, options, tally};
        EXPECT_FALSE((Crew{target, killed, schema, tally, {.workers = 1}}.end().failure));
        Feed feed{target, {input}, options, tally};
        Batch nothing;
        EXPECT_FALSE(*feed.take(nothing));
        EXPECT_EQ(feed.read_again(), batch == 1) << "of one batch it cannot be told";
    }
    std::filesystem::remove(path);
}

TEST(LoadDigest, of_a_row_knows_which_column_a_value_stands_in) {
    const Schema schema{.columns = {{.name = "a"}, {.name = "b"}}};
    const Value ab[] = {Value{"x"}, Value{"y"}};
    const Value ba[] = {Value{"y"}, Value{"x"}};
    EXPECT_NE(row_digest(schema, ab), row_digest(schema, ba));
}

}  // namespace
}  // namespace tool::load
