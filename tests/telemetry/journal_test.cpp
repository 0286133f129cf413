// SPDX-License-Identifier: Apache-2.0
//
// Does every call leave its line, whole, in files of a bounded size, without waiting for them?
#include "perdure/telemetry/journal.hpp"

#include <atomic>
#include <numeric>
#include <thread>

#include "perdure/telemetry/journal_line.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "telemetry/scratch.hpp"

namespace perdure::testing {
namespace {

struct Journals : ::testing::Test {
    Scratch scratch;
    std::string path = scratch.at("calls.jsonl");
    JournalOptions quiet() {
        return {.path = path, .service_name = "shop", .instance = "web-3", .process_every = 0s};
    }
};

TEST_F(Journals, write_a_line_for_each_call) {
    {
        Journal journal{quiet()};
        Caller users{{.name = "users"}, {.observer = &journal}};
        make_calls(users, 3);
        make_failing_calls(users, 2);
    }
    const auto lines = lines_of(path);
    ASSERT_EQ(lines.size(), 6u);
    EXPECT_TRUE(lines[0].starts_with(R"({"kind":"journal","time_unix_nano":)")) << lines[0];
    EXPECT_TRUE(has(lines[0], R"("event":"started","dropped_lines":0,"version":1)")) << lines[0];
    for (std::size_t i = 1; i < 6; ++i) {
        EXPECT_TRUE(lines[i].starts_with(R"({"kind":"call","time_unix_nano":)")) << lines[i];
        EXPECT_TRUE(has(lines[i], R"("service.name":"shop","service.instance.id":"web-3",)"
                                  R"("peer.service":"users","operation":"load","elapsed_ns":)"))
            << lines[i];
        EXPECT_EQ(has(lines[i], R"("succeeded":false,"stop":"permanent","effect":"none")"), i > 3);
    }
}

TEST_F(Journals, name_the_host_and_the_process_when_nobody_names_the_instance) {
    JournalOptions options = quiet();
    options.instance.clear();
    { const Journal journal{options}; }
    EXPECT_TRUE(has(lines_of(path).at(0), "-" + std::to_string(::getpid()) + "\"")) << path;
}

TEST_F(Journals, hold_no_subject_no_message_and_no_body) {
    {
        Journal journal{quiet()};
        Caller users{{.name = "users"}, {.observer = &journal}};
        Diagnostics record;
        record.describe({.subject = "hunter2"});
        (void)users.run({.name = "load", .diagnostics = &record}, []() -> Result<int> {
            return fail({.cause = Cause::invalid, .code = "E1", .message = "hunter2 is wrong"});
        });
    }
    EXPECT_FALSE(has(read_file(path), "hunter2"));
    EXPECT_TRUE(has(read_file(path), R"("code":"E1")"));
}

TEST_F(Journals, say_every_interval_how_the_process_does) {
    JournalOptions options = quiet();
    options.process_every = 5ms;
    Journal journal{options};
    Caller users{{.name = "users"}, {.observer = &journal}};
    make_calls(users, 7);
    make_failing_calls(users, 2);
    std::vector<std::string> lines;
    while (count_of(lines, R"("kind":"process")") < 3) {
        ASSERT_EQ(journal.flush(10s), Journal::Flushed::yes);
        lines = lines_of(path);
    }
    for (const std::string& line : lines) {
        if (!has(line, R"("kind":"process")")) continue;
        for (const char* const key : {"process.cpu.utilization", "tick_late_ns", "interval_ns",
                                      "calls", "failed", "dropped_lines"})
            EXPECT_TRUE(has(line, '"' + std::string{key} + "\":")) << line;
    }
    EXPECT_EQ(journal.counts().calls, 9u);
}

TEST_F(Journals, write_one_healthy_call_in_so_many_and_every_other_one) {
    constexpr int many = 4000;
    {
        JournalOptions options = quiet();
        options.sample = 10;
        Journal journal{options};
        Caller users{{.name = "users"}, {.observer = &journal}};
        for (int i = 0; i < many / 2; ++i) {
            make_calls(users, 1, "odd");
            make_calls(users, 1, "even");
        }
        make_failing_calls(users, 20);
        const JournalCounts counts = journal.counts();
        EXPECT_EQ(counts.calls, many + 20u);
    }
    const auto lines = lines_of(path);
    EXPECT_EQ(count_of(lines, R"("succeeded":false)"), 20u);
    EXPECT_EQ(count_of(lines, R"("weight":10)"),
              count_of(lines, R"("operation":"odd")") + count_of(lines, R"("operation":"even")"));
    for (const char* const kind : {"odd", "even"}) {
        const auto seen = count_of(lines, R"("operation":")" + std::string{kind} + '"');
        EXPECT_GT(seen, 140u) << kind;
        EXPECT_LT(seen, 260u) << kind;
    }
}

TEST_F(Journals, are_rotated_between_lines_and_stay_bounded) {
    JournalOptions options = quiet();
    options.most_bytes = 16'384;
    options.files = 3;
    {
        Journal journal{options};
        Caller users{{.name = "users"}, {.observer = &journal}};
        for (int i = 0; i < 10; ++i) {
            make_calls(users, 40);
            ASSERT_EQ(journal.flush(10s), Journal::Flushed::yes);
        }
        EXPECT_GT(journal.counts().rotations, 3u);
        EXPECT_EQ(journal.counts().dropped, 0u);
    }
    EXPECT_FALSE(std::filesystem::exists(path + ".3"));
    for (const std::string& each : {path, path + ".1", path + ".2"}) {
        EXPECT_LE(std::filesystem::file_size(each), options.most_bytes) << each;
        EXPECT_TRUE(read_file(each).ends_with("}\n")) << each;
        EXPECT_TRUE(has(lines_of(each).at(0), R"("event":"rotated")"));
        EXPECT_GT(count_of(lines_of(each), call_kind), 0u);
    }
}

TEST_F(Journals, put_a_torn_line_of_an_earlier_process_on_a_line_of_its_own) {
    std::ofstream{path} << "{\"kind\":\"call\"}\n{\"kind\":\"ca";
    { const Journal journal{quiet()}; }
    EXPECT_TRUE(has(read_file(path), "{\"kind\":\"ca\n{\"kind\":\"journal\"")) << read_file(path);
}

TEST_F(Journals, go_on_in_a_new_file_when_somebody_moved_the_old_one) {
    Journal journal{quiet()};
    Caller users{{.name = "users"}, {.observer = &journal}};
    make_calls(users, 1);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    std::filesystem::rename(path, path + ".away");
    make_calls(users, 1);
    EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
    EXPECT_EQ(count_of(lines_of(path), call_kind), 1u);
    EXPECT_EQ(count_of(lines_of(path + ".away"), call_kind), 1u);
}

TEST_F(Journals, drop_and_count_what_does_not_fit_into_the_queue) {
    JournalOptions options = quiet();
    options.queue_bytes = 1000;
    options.write_every = 1h;
    std::uint64_t written = 0;
    {
        // A line is longer than half of the queue, so that the thread is not woken in between often.
        Journal journal{options};
        Caller users{{.name = "users"}, {.observer = &journal}};
        make_calls(users, 5000);
        ASSERT_EQ(journal.flush(10s), Journal::Flushed::yes);
        const JournalCounts counts = journal.counts();
        EXPECT_EQ(counts.calls, 5000u);
        EXPECT_GT(counts.dropped, 0u);
        written = counts.written - 0;
        EXPECT_EQ(written + counts.dropped, 5000u);
    }
    EXPECT_EQ(count_of(lines_of(path), call_kind), written);
}

TEST_F(Journals, have_the_same_number_in_lines_and_counts_with_many_Threads) {
    constexpr int threads = 8, each = 300;
    JournalOptions options = quiet();
    options.process_every = 1ms;
    options.most_bytes = 1u << 20u;
    options.files = 50;
    {
        Journal journal{options};
        Caller users{{.name = "users"}, {.observer = &journal}};
        std::vector<std::jthread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back([&, t] {
                make_calls(users, each, "op" + std::to_string(t));
                (void)journal.flush(10s);
                (void)journal.counts();
            });
        all.clear();
        EXPECT_EQ(journal.flush(10s), Journal::Flushed::yes);
        EXPECT_EQ(journal.counts().calls, static_cast<std::uint64_t>(threads * each));
        EXPECT_EQ(journal.counts().dropped, 0u);
    }
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::directory_iterator{scratch.root()})
        for (std::string& line : lines_of(entry.path())) lines.push_back(std::move(line));
    for (int t = 0; t < threads; ++t)
        EXPECT_EQ(count_of(lines, R"("operation":"op)" + std::to_string(t) + '"'),
                  static_cast<std::size_t>(each));
}

TEST(JournalLine, of_the_process_holds_numbers_that_can_be_read_whatever_was_measured) {
    const std::string line =
        process_line({.cpu_utilization = std::numeric_limits<double>::quiet_NaN()}, {});
    EXPECT_TRUE(JsonCheck{line}.sound()) << line;
    EXPECT_TRUE(
        has(process_line({.cpu_utilization = 7}, {}), R"("process.cpu.utilization":1.0000)"));
}

}  // namespace
}  // namespace perdure::testing
