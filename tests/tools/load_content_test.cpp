// SPDX-License-Identifier: Apache-2.0
//
// Is the beginning of an input what was loaded, and what is said of a load on one line?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "load/engine/load_progress.hpp"
#include "load/engine/status_line.hpp"
#include "load/source/prefix_check.hpp"
#include "load/source/source.hpp"

namespace tool::load {
namespace {

using namespace perdure;
using Outcome = PrefixCheck::Outcome;

ContentDigest digest_of(std::string_view bytes) {
    ContentHash hash;
    hash.add(bytes);
    return hash.digest();
}

class LoadContent : public ::testing::Test {
protected:
    void SetUp() override {
        path_ = (std::filesystem::temp_directory_path() /
                 ("perdure-content-" + std::to_string(::getpid())))
                    .string();
    }
    void TearDown() override { std::filesystem::remove(path_); }

    Outcome check(const std::string& now, std::vector<Checkpoint> checkpoints) {
        std::ofstream{path_, std::ios::binary} << now;
        const auto checked =
            check_prefix(path_, checkpoints, {.resume_at = checkpoints.back().offset});
        EXPECT_TRUE(checked) << to_string(checked.error());
        return checked->outcome;
    }

    std::string path_;
};

TEST_F(LoadContent, is_compared_up_to_where_the_load_goes_on) {
    const std::string old = "id,v\n1,a\n2,b\n";
    const std::vector<Checkpoint> loaded{{9, digest_of(old.substr(0, 9))},
                                         {old.size(), digest_of(old)}};
    EXPECT_EQ(check(old, loaded), Outcome::same);
    EXPECT_EQ(check(old + "3,c\n", loaded), Outcome::grown);
    EXPECT_EQ(check("id,v\n1,a\n2,x\n", loaded), Outcome::changed);
    EXPECT_EQ(check("id,w\n1,a\n2,b\n", loaded), Outcome::changed);
    EXPECT_EQ(check("id,v\n1,a\n", loaded), Outcome::shorter);
    EXPECT_EQ(check("", loaded), Outcome::shorter);
}

// Nightly exports begin alike: each of them would be read to where it differs.
TEST_F(LoadContent, is_compared_with_many_others_in_one_pass) {
    std::string now;
    for (int i = 0; i < 200'000; ++i) now += static_cast<char>(i * 7 % 251);
    std::vector<std::vector<Checkpoint>> others;
    std::vector<Outcome> wanted;
    for (std::size_t i = 0; i < 50; ++i) {
        std::string other = now;
        other[150'000 + i] = '\xff';  // which it has nowhere
        others.push_back({{100'000, digest_of(other.substr(0, 100'000))},
                          {160'000 + i, digest_of(other.substr(0, 160'000 + i))}});
        wanted.push_back(Outcome::changed);
    }
    others.push_back({{now.size(), digest_of(now)}});
    wanted.push_back(Outcome::same);
    others.push_back({{7, digest_of(now.substr(0, 7))}});
    wanted.push_back(Outcome::grown);
    others.push_back({{now.size() + 1, digest_of(now + "x")}});
    wanted.push_back(Outcome::shorter);
    std::ofstream{path_, std::ios::binary} << now;
    std::atomic<std::uint64_t> read{0};
    const auto outcomes = check_prefixes(path_, others, &read);
    ASSERT_TRUE(outcomes);
    EXPECT_EQ(*outcomes, wanted);
    EXPECT_EQ(read, now.size());
}

TEST_F(LoadContent, is_read_no_further_than_another_agrees) {
    const std::string now(3'000'000, 'a');
    std::ofstream{path_, std::ios::binary} << now;
    std::atomic<std::uint64_t> read{0};
    const std::vector<std::vector<Checkpoint>> other{
        {{10, digest_of("another one")}, {now.size(), digest_of(now)}}};
    ASSERT_EQ((*check_prefixes(path_, other, &read))[0], Outcome::changed);
    EXPECT_LT(read, now.size() / 2);
}

TEST_F(LoadContent, is_hashed_the_same_in_one_piece_and_in_many) {
    std::string bytes;
    for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 7 % 251);
    ContentHash hash;
    for (std::size_t at = 0; at < bytes.size(); at += 999)
        hash.add(std::string_view{bytes}.substr(at, 999));
    EXPECT_EQ(hash.digest(), digest_of(bytes));
    const ContentHash copy = hash;
    hash.add("more");
    EXPECT_EQ(copy.digest(), digest_of(bytes));
    EXPECT_EQ(hash.digest(), digest_of(bytes + "more"));
    EXPECT_LT(hash.digest().high, std::uint64_t{1} << 53u);
    EXPECT_EQ(check(bytes, {{bytes.size(), digest_of(bytes)}}), Outcome::same);
}

TEST_F(LoadContent, is_hashed_by_a_source_while_it_is_read_skipped_and_resumed) {
    std::string bytes = "id\n";
    for (int i = 0; i < 5000; ++i) bytes += std::to_string(i) + "\n";
    std::ofstream{path_, std::ios::binary} << bytes;
    const SourceOptions options{.path = path_, .format = Format::csv};
    auto read = Source::open(options);
    ASSERT_TRUE(read);
    Batch batch;
    ASSERT_TRUE(*(*read)->next(batch, {.records = 100}));
    EXPECT_EQ(batch.digest, digest_of(bytes.substr(0, batch.end)));
    const Mark mark{batch.end, batch.first_line + batch.lines};
    ContentHash before;
    before.add(bytes.substr(0, batch.end));
    for (const bool seeks : {false, true}) {
        auto again = Source::open(options);
        ASSERT_TRUE(again);
        ASSERT_TRUE(seeks ? (*again)->resume_at(mark, before) : (*again)->skip_to(mark));
        Batch rest;
        ASSERT_TRUE(*(*again)->next(rest, {.records = 10'000}));
        EXPECT_EQ(rest.begin, mark.offset);
        EXPECT_EQ(rest.digest, digest_of(bytes));
    }
}

TEST(LoadStatusLine, is_cut_to_the_terminal_by_characters_not_bytes) {
    EXPECT_EQ(cut_to("12345", 5), "12345");
    EXPECT_EQ(cut_to("123456", 5), "1234…");
    EXPECT_EQ(cut_to("é·é·é", 5), "é·é·é");
    EXPECT_EQ(cut_to("é·é·éé", 5), "é·é·…");
}

TEST(LoadStatusLine, names_trouble_only_if_there_is_some) {
    EXPECT_EQ(
        in_words(Moment{.done = 466'000, .share = 0.476, .per_second = 186'258, .seconds_left = 4}),
        "47 % · 466,000 rows · 186k/s · 4 s left");
    EXPECT_EQ(
        in_words(Moment{.done = 12, .rejected = 3, .per_second = 9'400, .target = {.retries = 2}}),
        "12 rows · 9,400/s · 3 rejected · 2 retries");
}

TEST(LoadStatusLine, says_for_whom_a_load_waits_why_and_how_long) {
    const TimePoint start{};
    const Waiting waiting{
        .reason = "Connection refused", .attempt = 9, .since = start, .allowed = 60s};
    EXPECT_EQ(waiting_words("postgres db:5432/shop", waiting, 0s, start + 12s),
              "waiting for postgres db:5432/shop, 12 s of 60 s, attempt 9: Connection refused");
    EXPECT_EQ(waiting_words("postgres db:5432/shop", std::nullopt, 3s, start),
              "waiting for postgres db:5432/shop, 3 s");
}

}  // namespace
}  // namespace tool::load
