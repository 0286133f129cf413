// SPDX-License-Identifier: Apache-2.0
//
// Does the side file keep what was rejected, and can it be repaired and loaded again?
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "load/source/csv_record.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_wrapped.hpp"
#include "load/source/rejected_file.hpp"
#include "load/source/source.hpp"
#include "load_source_case.hpp"

namespace tool::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string contents(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// The values of one line, or why it is rejected.
std::vector<std::string> loaded(const std::string& line) {
    const std::size_t length = line.ends_with('\n') ? line.size() - 1 : line.size();
    Batch batch{.bytes = line};
    batch.records.push_back({0, length, 1});
    const Schema schema{.columns = {{.name = "id", .type = Type::integer}, {.name = "name"}}};
    Rows rows;
    read_rows(batch, {}, schema, rows);
    if (rows.size() == 0) return {rows.rejected.at(0).reason};
    const auto row = rows.row(0);
    return {row[0].kind == ValueKind::null ? "null" : std::to_string(row[0].integer),
            row[1].kind == ValueKind::null ? "null" : std::string{row[1].text}};
}

KeptRejection json(std::string record, std::string reason = "why") {
    return {.line = 7, .reason = std::move(reason), .record = std::move(record)};
}
KeptRejection csv(std::string record, char separator = ',', std::string reason = "why") {
    return {.line = 7,
            .reason = std::move(reason),
            .record = std::move(record),
            .format = Format::csv,
            .header = csv_header({"id", "name"}, separator)};
}

TEST(LoadRejected, keeps_records_as_records_and_others_as_text) {
    const std::string about = R"({"perdure.rejected":{"file":"a","line":7,"reason":"why"})";
    const std::string of_csv =
        R"({"perdure.rejected":{"file":"a","line":7,"reason":"why","from":"csv"})";
    const std::string under_header =
        R"({"perdure.rejected":{"file":"a","line":7,"reason":"why","from":"csv","header":"\"id\",\"name\""})";
    const struct {
        KeptRejection kept;
        std::string line;
    } cases[] = {
        {json(R"({"id": "x"})"), about + R"(,"record":{"id": "x"}})"},
        {json(R"({"id":1,"id":2})"), about + R"(,"record":{"id":1,"id":2}})"},
        {json(R"({"id":)"), about + R"(,"text":"{\"id\":"})"},
        {json("[1]"), about + R"(,"text":"[1]"})"},
        {json("{\"name\":\"\xff\"}"),
         about + R"(,"text":"{\"name\":\"\ufffd\"}","bytes":"eyJuYW1lIjoi/yJ9"})"},
        {csv("x,\"a \"\"b\"\"\nc\""), of_csv + R"(,"record":{"id":"x","name":"a \"b\"\u000ac"}})"},
        {csv("x,"), of_csv + R"(,"record":{"id":"x","name":null}})"},
        {csv("x,\"\""), of_csv + R"(,"record":{"id":"x","name":""}})"},
        {csv("x\ta,b", '\t'), of_csv + R"(,"record":{"id":"x","name":"a,b"}})"},
        {csv("x,y,z"), under_header + R"(,"text":"x,y,z"})"},
        {csv("x,\"y"), under_header + R"(,"text":"x,\"y"})"},
        {csv("x,\xff"), under_header + R"(,"text":"x,\ufffd","bytes":"eCz/"})"},
        {csv("1,y", ',', std::string{too_long_reason}),
         R"({"perdure.rejected":{"file":"a","line":7,"reason":")" + std::string{too_long_reason} +
             R"(","from":"csv","cut":true},"text":"1,y"})"},
    };
    for (const auto& at : cases) EXPECT_EQ(rejected_line("a", at.kept), at.line + "\n");
}

TEST(LoadRejected, can_be_loaded_again) {
    EXPECT_THAT(loaded(rejected_line("a", json(R"({"id":1,"name":"é\n"})"))),
                ElementsAre("1", "é\n"));
    EXPECT_THAT(loaded(rejected_line("a", csv("1,\"x, \"\"y\"\"\""))),
                ElementsAre("1", "x, \"y\""));
    EXPECT_THAT(loaded(rejected_line("a", csv("1,"))), ElementsAre("1", "null"));
    EXPECT_THAT(loaded(rejected_line("a", csv("1,\"\""))), ElementsAre("1", ""));
    EXPECT_THAT(loaded(rejected_line("a", csv("x,y"))),
                ElementsAre("field 'id' holds text, its column holds integers"));
    // In JSON a text stays a text, also when it looks like a number.
    EXPECT_THAT(loaded(rejected_line("a", json(R"({"id":"1"})"))),
                ElementsAre("field 'id' holds text, its column holds integers"));
}

TEST(LoadRejected, can_be_repaired_by_hand) {
    const std::string about = R"({"perdure.rejected":{"file":"a","line":7,"reason":"why"},)";
    const std::string of_csv = R"({"perdure.rejected":{"line":7,"from":"csv"},)";
    const struct {
        std::string line;
        std::vector<std::string> values;
    } cases[] = {
        {about + R"("text":"{\"id\":1,\"name\":\"\\u00e9\"}"})", {"1", "é"}},
        {about + R"("text": "{\"id\":1,\n\"name\":\"x\"}" })", {"1", "x"}},
        {about + R"("record":{"id":1,"name":"x"}})", {"1", "x"}},
        {about + R"("record" : { "id":1 }, "comment":"was x"})", {"1", "null"}},
        {of_csv + R"("record":{"id":7,"name":"x"}})", {"7", "x"}},  // no longer a text
        {of_csv + R"("text":"{\"id\":7}"})", {"7", "null"}},
        {of_csv + R"("text":"7,x"})", {"not JSON: column 2: expected nothing more"}},
        {about + R"("text":"{\"id\":"})", {"not JSON: column 7: expected a value"}},
        {about + R"("text":"{}","bytes":"AA=="})",
         {"its text is not UTF-8; repair \"text\" and take \"bytes\" away"}},
        {about + R"("more":1})", {"a rejected record without \"record\" and \"text\""}},
        {about + R"("text":1})", {"a rejected record without \"record\" and \"text\""}},
        {about + R"("record":[1]})", {"is no JSON object"}},
        {R"({"perdure.rejected":{"cut":true},"text":"{}"})", {std::string{too_long_reason}}},
        {R"({"perdure.rejected":1,"record":{"id":1}})", {"1", "null"}},
    };
    for (const auto& at : cases) EXPECT_EQ(loaded(at.line), at.values) << at.line;
}

TEST(LoadRejected, does_not_wrap_a_line_of_a_side_file_twice) {
    const auto again = [](const std::string& line) {
        return rejected_line(
            "b", {.line = 9, .reason = "still", .record = line.substr(0, line.size() - 1)});
    };
    const std::string first = rejected_line("a", csv("x,y"));
    const std::string second = again(first);
    EXPECT_EQ(second, R"({"perdure.rejected":{"file":"b","line":9,"reason":"still","from":"csv"},)"
                      R"("record":{"id":"x","name":"y"}})"
                      "\n");
    EXPECT_EQ(again(second), second);
    // What may not be unwrapped stays as it was.
    const std::string bytes = rejected_line("a", json("{\"name\":\"\xff\"}"));
    EXPECT_EQ(again(bytes), bytes);
    const std::string cut = rejected_line("a", json("{\"name\"", std::string{too_long_reason}));
    EXPECT_EQ(again(cut), cut);
    const std::string lines = R"({"perdure.rejected":{},"text":"{\"id\":\n\"x\"}"})";
    EXPECT_THAT(again(lines + "\n"), HasSubstr(R"("record":{"id": "x"}})"));
}

class LoadSideFile : public SourceCase {
protected:
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator{folder_})
            names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }
    [[nodiscard]] FreshFile holding(std::string_view text) const {
        auto file = FreshFile::beside(side_);
        EXPECT_TRUE(file && file->append(text) && file->settle());
        return *std::move(file);
    }
    const std::string side_ = folder_ / "side.jsonl";
};

TEST_F(LoadSideFile, appears_whole_or_not_at_all) {
    {
        auto file = RejectedFile::open(side_);
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->add("a", json("{}")));
    }
    EXPECT_THAT(files(), ElementsAre());
    {
        auto lines = RejectedFile::open(side_);
        for (int i = 0; i < 5000; ++i)
            ASSERT_TRUE(lines->add("a", json(R"({"id":)" + std::to_string(i) + "}")));
        auto file = std::move(*lines).finish();
        ASSERT_TRUE(file && *file);
        ASSERT_TRUE(*(*file)->take(side_));
    }
    EXPECT_THAT(files(), ElementsAre("side.jsonl"));
    auto source = Source::open({.path = side_});
    Batch batch;
    ASSERT_TRUE(*(*source)->next(batch, {.records = 10'000}));
    EXPECT_EQ(batch.records.size(), 5000);
    auto nothing = RejectedFile::open(side_);
    EXPECT_EQ(*std::move(*nothing).finish(), std::nullopt);
    EXPECT_EQ(RejectedFile::open(folder_ / "no" / "side").error().cause, perdure::Cause::not_found);
}

TEST_F(LoadSideFile, is_readable_by_its_owner_only) {
    ASSERT_TRUE(*holding("{}\n").take(side_));
    struct stat seen{};
    ASSERT_EQ(::stat(side_.c_str(), &seen), 0);
    EXPECT_EQ(seen.st_mode & 0777u, 0600u);
}

TEST_F(LoadSideFile, takes_no_name_that_something_has) {
    const std::string victim = file("victim", "");
    const std::filesystem::path folder = folder_;
    std::filesystem::create_symlink(victim, folder / "link");
    std::filesystem::create_symlink("nowhere", folder / "dangling");
    std::filesystem::create_directory(folder / "folder");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0666), 0);
    for (const char* name : {"link", "dangling", "folder", "pipe"}) {
        SCOPED_TRACE(name);
        FreshFile fresh = holding("{}\n");
        EXPECT_FALSE(*fresh.take(folder / name));
        EXPECT_FALSE(*fresh.replace(folder / name));
    }
    EXPECT_EQ(contents(victim), "");
    EXPECT_THAT(files(), ElementsAre("dangling", "folder", "link", "pipe", "victim"));
}

TEST_F(LoadSideFile, replaces_only_a_file_that_it_begins_with) {
    const struct {
        const char* before;
        const char* fresh;
        bool replaces;
    } cases[] = {
        {"a\n", "a\nb\n", true},  {"a\n", "a\n", true},  {"", "a\n", true},
        {"a\nb\n", "a\n", false}, {"b\n", "a\n", false}, {"a\nmended\n", "a\nb\n", false},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.before);
        file("side.jsonl", at.before);
        EXPECT_EQ(*holding(at.fresh).replace(side_), at.replaces);
        EXPECT_EQ(contents(side_), at.replaces ? at.fresh : at.before);
    }
    const std::string large(200'000, 'x');
    file("side.jsonl", large + "1");
    EXPECT_FALSE(*holding(large + "2").replace(side_));
    EXPECT_THAT(files(), ElementsAre("side.jsonl"));
}

TEST_F(LoadSideFile, is_left_to_the_load_that_is_replacing_it) {
    file("side.jsonl", "a\n");
    const int held = ::open(side_.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    EXPECT_FALSE(*holding("a\nb\n").replace(side_));
    ::close(held);
    EXPECT_TRUE(*holding("a\nb\n").replace(side_));
}

}  // namespace
}  // namespace tool::load
