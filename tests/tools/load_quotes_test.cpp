// SPDX-License-Identifier: Apache-2.0
//
// What does a CSV input cost whose quotes never close? Each byte is compared a bounded number of times,
// whatever the input, and its records are the same as if each were looked for by itself.
#include <gtest/gtest.h>

#include <random>

#include "load/source/source_records.hpp"
#include "load_source_case.hpp"

namespace tool::load {
namespace {

using LoadQuotes = SourceCase;

constexpr std::size_t longest = std::size_t{16} * 1024;

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
}

std::unique_ptr<RecordSource> record_source(const SourceOptions& options) {
    auto bytes = open_bytes(options.path);
    EXPECT_TRUE(bytes);
    auto source = std::make_unique<RecordSource>(options, std::move(*bytes));
    EXPECT_TRUE(source->begin());
    return source;
}

// Quotes that are open at each line end, seen from any line; then closed at some, and mixed.
std::vector<std::string> hostile_lines(std::size_t bytes) {
    const std::string alternating = repeated("x\"y,\"z\n1,2\n", 300) + "\"\n";
    std::string sparse;  // one opening quote in each kilobyte
    for (std::size_t i = 0; sparse.size() < bytes; ++i)
        sparse += repeated("1,2\n", 1000) + (i % 2 ? "a,\"b\n" : "a\"b,\"c\n");
    return {repeated("x\"y,\"z\n", bytes),
            repeated("5\"x,\"7\n", bytes),
            repeated("5\"x,\"7\r\n", bytes),
            repeated("x\"y,\"z\n1,2\n", bytes),
            repeated("\"\n", bytes),
            repeated("\"\"\"\n", bytes),
            repeated("a,\"\"\"b\n", bytes),
            repeated("a,\"b\r", bytes),
            repeated("x\"y,\"z\r", bytes),
            repeated("x\"y,\"z\r1\n", bytes),
            repeated("1,2\r", bytes),
            repeated("\"1\",\"2\"\r", bytes),
            repeated("\"1\",", bytes),
            repeated("\"1\",", longest / 2) + repeated("\"1\"\n", bytes),
            repeated("\"\"", bytes),
            repeated("a\"", bytes),
            repeated(alternating, bytes),
            repeated(repeated("x\"y,\"z\n", longest - 100) + "\"\n", bytes),
            repeated(repeated("x\"y,\"z\n", longest + 100) + "\"\n", bytes),
            "1,\"2\n" + repeated("1,2\n", bytes),
            sparse};
}

TEST_F(LoadQuotes, cost_a_bounded_number_of_looks_at_each_byte) {
    const BatchLimits every_limit[] = {{},
                                       {.records = 1},
                                       {.records = 20},
                                       {.records = 3, .bytes = 1000},
                                       {.bytes = longest + 100}};
    for (const std::string& lines : hostile_lines(12 * longest)) {
        SCOPED_TRACE(lines.substr(0, 20));
        const std::string bytes = "a,b\n" + lines;
        const std::string plain = file("a.csv", bytes);
        const std::string zipped = file("a.csv.gz", packed(bytes));
        for (const BatchLimits& limits : every_limit)
            for (const std::string& path : {plain, zipped}) {
                if (path == zipped && limits.records == 1) continue;
                const auto source =
                    record_source({.path = path, .separator = ',', .longest_record = longest});
                rest(*source, limits);
                EXPECT_LE(source->searched(), 8 * (bytes.size() + longest))
                    << limits.records << ' ' << limits.bytes;
            }
    }
}

TEST_F(LoadQuotes, cost_as_little_after_a_resume_and_at_the_real_limit) {
    const std::string bytes = "a,b\n" + repeated("x\"y,\"z\n", (std::size_t{17} << 20u));
    const std::string path = file("a.csv", bytes);
    const auto source = record_source({.path = path});
    Batch batch;
    ASSERT_TRUE(*source->next(batch, {.records = 1000}));
    EXPECT_EQ(batch.records.size(), 1000);  // a batch is not cut short where quotes stay open
    const auto resumed = record_source({.path = path});
    ASSERT_TRUE(resumed->skip_to({batch.end, batch.first_line + batch.lines}));
    for (RecordSource* one : {source.get(), resumed.get()}) {
        while (*one->next(batch, {.records = 1000})) {}
        EXPECT_LE(one->searched(), 5 * bytes.size());
    }
}

TEST_F(LoadQuotes, make_the_records_that_a_search_from_each_of_them_alone_makes) {
    for (unsigned seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 dice{seed};
        static constexpr std::string_view letters = "a,\"\n\r x\n\n\"\n";
        const std::size_t kinds = seed % 3 == 0 ? letters.size() : 4;
        std::string bytes = "h\n";
        while (bytes.size() < 1200) bytes += letters[dice() % kinds];
        const SourceOptions options{
            .path = file("a.csv", bytes), .separator = ',', .longest_record = 30 + seed % 90};
        const auto source = record_source(options);
        const BatchLimits limits{.records = 1 + seed % 9, .bytes = 1 + seed % 200};
        Batch batch;
        Batch alone;
        while (*source->next(batch, limits)) {
            for (const Slice& slice : batch.records) {
                const auto other = record_source(options);
                // `skip_to` takes the line as it is told.
                ASSERT_TRUE(other->skip_to({batch.offset(slice), slice.line}));
                ASSERT_TRUE(*other->next(alone, {.records = 1}));
                ASSERT_EQ(shown_record(alone, alone.records.at(0)), shown_record(batch, slice));
                const std::uint64_t end = alone.first_line + alone.lines;
                const bool last = &slice == &batch.records.back();
                const std::uint64_t next = last ? batch.end : batch.offset(*(&slice + 1));
                const std::uint64_t line =
                    last ? batch.first_line + batch.lines : (&slice + 1)->line;
                ASSERT_LE(alone.end, next);  // blank lines may lie between
                if (alone.end == next) {
                    ASSERT_EQ(end, line);
                }
            }
        }
    }
}

// The text is as long as a record may be, so the search for the second record is skipped up to its end.
TEST_F(LoadQuotes, count_the_lines_of_a_record_that_was_skipped_to_the_end) {
    const std::string text = "h\nx\"yy,\"z\nx\"y,\"z\nx\"y,\"z\nx\"y,\"z\nx\"\"y,\"zy,\"\n";
    const auto source = record_source(
        {.path = file("a.csv", text), .separator = ',', .longest_record = text.size() - 2});
    Batch batch;
    std::uint64_t line = 0;
    while (*source->next(batch, {})) line = batch.first_line + batch.lines;
    EXPECT_EQ(line, 7);
}

}  // namespace
}  // namespace tool::load
