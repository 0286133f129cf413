// SPDX-License-Identifier: Apache-2.0
//
// Is every record of a bad input either in the table or put aside with its line and the reason, and
// does the load go on when the input is mended?
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "live/load/support/load_case.hpp"

#include <sys/stat.h>

namespace perdure::live {
namespace {

namespace fs = std::filesystem;

class LoadInput : public LoadCase {
protected:
    [[nodiscard]] std::vector<std::string> aside() const {
        std::istringstream lines{read_file(home.file("orders.rejected.jsonl"))};
        std::vector<std::string> found;
        for (std::string line; std::getline(lines, line);) found.push_back(line);
        return found;
    }
    // Packed, and cut off there.
    void pack(const std::string& text, double share) const {
        home.write("whole", text);
        must_run({find_program("gzip"), "-kf", home.file("whole")});
        fs::rename(home.file("whole.gz"), home.file(input));
        const auto size = static_cast<double>(fs::file_size(home.file(input)));
        fs::resize_file(home.file(input), static_cast<std::uintmax_t>(size * share));
    }
};

TEST_P(LoadInput, that_was_exported_again_is_refused_without_a_key_and_read_with_one) {
    const int count = records_or(2'000);
    std::string text;
    for (int number = 1; number <= count; ++number) text += json_record(number) + "\n";
    home.write(input, text);
    place().make_orders();
    ASSERT_EQ(load({"--key", "id"}).status, 0);
    const LoadEnd same = load({"--key", "id"});
    EXPECT_EQ(same.status, 0);
    EXPECT_NE(same.words().find("\"nothing_new\":true"), std::string::npos) << same.words();

    // The first record is gone, two are new, and the size and the first bytes say nothing.
    const std::string fresh = text.substr(text.find('\n') + 1) + json_record(count + 1) + "\n" +
                              json_record(count + 2) + "\n";
    home.write(input, fresh);
    const LoadEnd refused = load({});
    EXPECT_EQ(refused.status, 3) << refused.words();
    EXPECT_NE(refused.words().find("--key"), std::string::npos) << refused.words();
    const LoadEnd again = load({"--key", "id"});
    EXPECT_EQ(again.status, 0) << again.words();
    EXPECT_EQ(again.number("account", "written"), 2) << again.words();
    EXPECT_EQ(again.number("account", "already_there"), count - 1) << again.words();
    EXPECT_NE(again.words().find("\"rows_not_in_input\":1"), std::string::npos) << again.words();
    EXPECT_EQ(differences(direct(), {.count = count + 2}), "") << again.words();
}

TEST_P(LoadInput, with_broken_lines_wrong_types_and_keys_twice_or_missing_puts_these_aside) {
    const int count = records_or(2'000);
    const int broken = count * 7 / 10 + 1;  // 70,001 in the long form
    std::map<int, std::string> bad{{broken, R"({"id": 7, "name": )"},
                                   {broken + 1, R"({"id": "many", "name": "x"})"},
                                   {broken + 2, R"({"id": 5, "name": "not the fifth"})"},
                                   {broken + 3, R"({"name": "nobody"})"},
                                   {broken + 200, R"({"id": 1, "colour": "red"})"}};
    std::string text;
    Records records{.count = count};
    for (int number = 1; number <= count; ++number) {
        text += (bad.contains(number) ? bad[number] : json_record(number)) + "\n";
        if (bad.contains(number)) records.without.insert(number);
    }
    home.write(input, text);
    place().make_orders();
    // One worker: of two records with the same key, the first to be written stays.
    const LoadEnd end = load({"--key", "id", "--batch", "100", "--workers", "1", "--verify"});
    EXPECT_EQ(end.status, 4) << end.words();
    EXPECT_EQ(end.number("account", "read"), count);
    EXPECT_EQ(end.number("account", "written"), count - 5) << end.words();
    EXPECT_EQ(end.number("account", "rejected"), 5);
    EXPECT_EQ(differences(direct(), records), "");

    const auto lines = aside();
    ASSERT_EQ(lines.size(), bad.size());
    std::string mended;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int number = std::next(bad.begin(), static_cast<std::ptrdiff_t>(i))->first;
        EXPECT_NE(lines[i].find("\"line\":" + std::to_string(number) + ","), std::string::npos)
            << lines[i];
        EXPECT_NE(lines[i].find("orders.jsonl"), std::string::npos) << lines[i];
        EXPECT_EQ(lines[i].find("\"reason\":\"\""), std::string::npos) << lines[i];
        mended += lines[i].substr(0, lines[i].find("},") + 2) +
                  "\"record\":" + json_record(number) + "}\n";
    }
    home.write("orders.rejected.jsonl", mended);
    input = "orders.rejected.jsonl";
    const LoadEnd second = load({"--key", "id"});
    EXPECT_EQ(second.status, 0) << second.words() << mended;
    EXPECT_EQ(differences(direct(), {.count = count}), "") << second.words();
}

TEST_P(LoadInput, with_a_value_only_the_database_refuses_finds_it_among_the_others) {
    place().make_orders("primary key (id), check (id <> 333)");
    home.write(input, json_lines({.count = 1'000}));
    const LoadEnd end = load({"--key", "id", "--batch", "250"});
    EXPECT_EQ(end.status, 4) << end.words();
    EXPECT_EQ(differences(direct(), {.count = 1'000, .without = {333}}), "") << end.words();
    ASSERT_EQ(aside().size(), 1u);
    EXPECT_NE(aside()[0].find("\"line\":333,"), std::string::npos) << aside()[0];
}

TEST_P(LoadInput, that_is_packed_and_cut_short_is_loaded_as_far_as_it_goes_and_later_to_its_end) {
    const Records records{.count = 3'000, .twins = Twins::yes};
    input = "orders.jsonl.gz";
    pack(json_lines(records), 0.6);
    const LoadEnd stopped = load({"--create", "--batch", "100"});
    EXPECT_EQ(stopped.status, 3) << stopped.words();
    EXPECT_NE(stopped.words().find("orders.jsonl.gz:"), std::string::npos) << stopped.words();
    EXPECT_GT(rows_in(direct()), 0);
    pack(json_lines(records), 1);
    const LoadEnd end = load({"--create", "--batch", "100", "--verify"});
    expect_all(end, records, records.count);
}

TEST_P(LoadInput, that_is_a_directory_or_not_there_is_named_and_what_is_there_is_not_lost) {
    home.write("a.jsonl", json_lines({.count = 100}));
    fs::create_directory(home.file("b.jsonl"));
    for (const char* wrong : {"b.jsonl", "c.jsonl"}) {
        input = "a.jsonl";
        const LoadEnd end = load({wrong, "--create", "--key", "id"});
        EXPECT_EQ(end.status, 3) << end.words();
        EXPECT_NE(end.words().find(wrong), std::string::npos) << end.words();
    }
    fs::remove(home.file("b.jsonl"));
    home.write("b.jsonl", json_lines({.count = 100, .first = 101}));
    const LoadEnd end = load({"b.jsonl", "--create", "--key", "id", "--verify"});
    expect_all(end, {.count = 200}, 200);
}

TEST_P(LoadInput, that_was_removed_between_two_runs_is_named_and_goes_on_when_it_is_back) {
    const Records records{.count = 5'000};
    home.write(input, json_lines(records));
    const std::vector<std::string> flags{"--create", "--batch", "20"};
    {
        Loading loading{orders(flags)};
        await_records(loading, 500);
        loading.kill();
    }
    fs::rename(home.file(input), home.file("away"));
    const LoadEnd stopped = load(flags);
    EXPECT_EQ(stopped.status, 3) << stopped.words();
    EXPECT_NE(stopped.words().find(input), std::string::npos) << stopped.words();
    fs::rename(home.file("away"), home.file(input));
    expect_all(load(flags), records, records.count);
}

// As a pipe whose writer dies: what came is loaded, and the rest when it is sent again under its name.
TEST_P(LoadInput, through_a_pipe_that_ends_early_goes_on_when_it_is_sent_again) {
    const Records records{.count = 2'000, .twins = Twins::yes};
    const std::string all = json_lines(records);
    const std::size_t half = all.find('\n', all.size() / 2) + 1;
    input = home.file("pipe");
    ASSERT_EQ(::mkfifo(input.c_str(), 0600), 0);
    const std::vector<std::string> flags{"--as", "feed", "--create", "--format", "jsonl"};
    for (const std::size_t length : {half, all.size()}) {
        Loading loading{orders(flags)};
        std::jthread writer{[&] { std::ofstream{input} << all.substr(0, length); }};
        const LoadEnd end = loading.wait(60s);
        EXPECT_EQ(end.status, 0) << end.words();
        if (length == all.size()) expect_all(end, records, records.count);
    }
}

// A writer that dies in the middle of a record has not said it all.
TEST_P(LoadInput, that_ends_in_the_middle_of_a_record_loses_nothing_when_it_has_grown) {
    const Records records{.count = 2'000};
    const std::string all = json_lines(records);
    home.write(input, all.substr(0, all.find('\n', all.size() / 2) - 5));
    const LoadEnd first = load({"--create", "--key", "id"});
    EXPECT_NE(first.status, 0) << first.words();
    home.write(input, all);
    const LoadEnd second = load({"--create", "--key", "id"});
    EXPECT_EQ(differences(direct(), records), "") << first.words() << second.words();
}

INSTANTIATE_TEST_SUITE_P(Live, LoadInput, ::testing::Values("sqlite", "postgres", "mariadb"));

}  // namespace
}  // namespace perdure::live
