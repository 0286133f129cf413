// SPDX-License-Identifier: Apache-2.0
//
// Does every byte of an input end up in one record, the same one whatever pieces it is read in?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "load_source_case.hpp"

namespace tool::load {
namespace {

using perdure::Cause;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using LoadSource = SourceCase;

TEST_F(LoadSource, splits_inputs_into_records_with_their_lines) {
    struct Case {
        const char* name;
        std::string bytes;
        Texts records;
    };
    const std::string nul("{\"a\":\0}\n", 8);
    const Case cases[] = {
        {"empty.jsonl", "", {}},
        {"one.jsonl", "{}\n", {"{}@1"}},
        {"no_end.jsonl", "{}\n{1}", {"{}@1", "{1}@2"}},
        {"crlf.jsonl", "{}\r\n{1}\r\n", {"{}@1", "{1}@2"}},
        {"blank.jsonl", "\n\n{}\n  \t\n\r\n{1}\n\n", {"{}@3", "{1}@6"}},
        {"bom.jsonl", "\xef\xbb\xbf{}\n", {"{}@1"}},
        {"cr_only.jsonl", "{}\r{1}\r", {"{}\r{1}@1"}},
        {"nul.jsonl", nul, {nul.substr(0, 7) + "@1"}},
        {"empty.csv", "", {}},
        {"header.csv", "a,b\n", {}},
        {"header_alone.csv", "a,b", {}},
        {"plain.csv", "a,b\n1,2\r\n3,4", {"1,2@2", "3,4@3"}},
        {"blank.csv", "\n\na,b\n\n1,2\n\n\n3,4\n\n", {"1,2@5", "3,4@8"}},
        {"bom.csv",
         "\xef\xbb\xbf"
         "a,b\n1,2\n",
         {"1,2@2"}},
        {"quoted.csv", "a,b\n\"1\n\n,\",\"x\"\n3,4\n", {"\"1\n\n,\",\"x\"@2", "3,4@5"}},
        {"doubled.csv", "a\n\"x\"\"\n\"\n\"\"\"\"\n2\n", {"\"x\"\"\n\"@2", "\"\"\"\"@4", "2@5"}},
        {"stray.csv", "a,b\n5\",x\"\n6,7\n", {"5\",x\"@2", "6,7@3"}},
        {"quote_at_end.csv", "a\n\"x\"", {"\"x\"@2"}},
        {"open_at_end.csv", "a\n1\n\"x\n2\n3", {"1@2", "\"x\n2\n3@3"}},
        {"lone_quote.csv", "a\n\"", {"\"@2"}},
        {"header.csv", "\"a\nb\",c\n1,2\n", {"1,2@3"}},
        {"mac.csv", "a,b\r1,2\r3,4\r", {"1,2@2", "3,4@3"}},
        {"mac_below_lf.csv", "a\n1\r2\r3\r", {"1@2", "2@3", "3@4"}},
        {"mixed.csv", "a\r\n1\r\r\n2\n\r3\r\n", {"1@2", "2@4", "3@6"}},
        {"mac_quoted.csv", "a,b\r\"x\ry\r\n\",2\r3,4", {"\"x\ry\r\n\",2@2", "3,4@4"}},
        {"tabs.tsv", "a\tb\n\"x\ty\"\t\"1\n2\"\n3,4\t5\n", {"\"x\ty\"\t\"1\n2\"@2", "3,4\t5@4"}},
    };
    for (const Case& at : cases) {
        SCOPED_TRACE(at.name);
        for (const std::size_t records : {1u, 2u, 1000u})
            EXPECT_EQ(rest(*open({.path = file(at.name, at.bytes)}), {.records = records}),
                      at.records);
        EXPECT_EQ(rest(*open({.path = file(std::string{at.name} + ".gz", packed(at.bytes))})),
                  at.records);
    }
}

TEST_F(LoadSource, is_told_what_it_is_by_its_name_or_its_first_byte) {
    struct Case {
        const char* name;
        const char* bytes;
        Format format;
        char separator;
    };
    const Case cases[] = {
        {"a.csv", "{\"a\n", Format::csv, ','},
        {"a.tsv", "a\tb\n", Format::csv, '\t'},
        {"a.jsonl", "a,b\n", Format::json_lines, ','},
        {"a.ndjson", "x", Format::json_lines, ','},
        {"a", " \n{\"a\":1}\n", Format::json_lines, ','},
        {"a.jsonl", "[1]\n", Format::json_array, ','},
        {"a.json", "{}\n", Format::json_lines, ','},
        {"a.json", "x", Format::json_lines, ','},
        {"a.json", "\xef\xbb\xbf \n\t[", Format::json_array, ','},
        {"a.txt", "[1]\n", Format::json_array, ','},
        {"a.txt", "id,name\n", Format::csv, ','},
        {"b", "", Format::json_lines, ','},
    };
    for (const Case& at : cases) {
        SCOPED_TRACE(at.name);
        const auto source = open({.path = file(at.name, at.bytes)});
        EXPECT_EQ(source->format(), at.format);
        EXPECT_EQ(source->separator(), at.separator);
    }
    EXPECT_EQ(open({.path = file("c", "a;b\n"), .separator = ';'})->header(), (Header{"a", "b"}));
    EXPECT_EQ(open({.path = file("d.csv", "{}\n"), .format = Format::json_lines})->format(),
              Format::json_lines);
    EXPECT_EQ(open({.path = file("e.csv", "{}\n"), .format = Format::json_array})->format(),
              Format::json_lines);
    EXPECT_EQ(open({.path = file("f.csv", "[]\n"), .format = Format::json_array})->format(),
              Format::json_array);
}

TEST_F(LoadSource, guesses_the_separator_from_the_header_and_the_first_records) {
    const std::string many = [] {
        std::string records = "id;name\n1;2;3\n";
        for (int i = 0; i < 50; ++i) records += "1;2\n";
        return records;
    }();
    const struct {
        std::string bytes;
        char separator;
    } cases[] = {
        {"id;name;preis\n1;Zoë;2,50\n2;Ann;3,00\n", ';'},
        {"id\tname\n1\ta;b\n", '\t'},
        {"id|name\n1|a,b\n", '|'},
        {"id,name\n1,a;b\n2,c;d\n", ','},
        {"id;name,first\n1;x\n2;y\n", ';'},  // the comma splits the header only
        {"\"a,b\";c\n\"1,2\";3\n", ';'},     // a comma in quotes
        {"\"a;b\",c\n\"1\n;2\",3\n", ','},
        {"id;name", ';'},
        {"\n\nid;name\n\n1;2\n", ';'},
        {"\xef\xbb\xbfid;name\r\n1;2\r\n", ';'},
        {many, ';'},                            // one record is wrong
        {"note\nfirst; second\nthird\n", ','},  // one column
        {"note\na;b\nc;d\n", ','},
        {"note (last; first)\nx\ny\n", ','},
        {"a,b\n1\n2\n", ','},
        {"", ','},
        {"id;text\n1;\"" + std::string(100'000, 'x') + "\"\n", ';'},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.bytes.substr(0, 40));
        for (const std::string& path : {file("a.csv", at.bytes), file("a.gz", packed(at.bytes))}) {
            const auto source = open({.path = path, .format = Format::csv});
            EXPECT_EQ(source->separator(), at.separator);
            EXPECT_EQ(source->separator_is_guess(), at.separator != ',');
        }
    }
    const auto told = open({.path = file("b.csv", "a;b\n1;2\n"), .separator = ','});
    EXPECT_EQ(told->header(), (Header{"a;b"}));
    EXPECT_FALSE(told->separator_is_guess());
    EXPECT_EQ(open({.path = file("c.tsv", "a,b\n1,2\n"), .separator = ','})->separator(), ',');
}

TEST_F(LoadSource, reads_a_header_of_ten_thousand_columns) {
    std::string header;
    std::string record;
    for (int i = 0; i < 10'000; ++i) {
        header += (i ? ",\"c" : "\"c") + std::to_string(i) + '"';
        record += i ? ",1" : "1";
    }
    const auto source = open({.path = file("wide.csv", header + "\r\n" + record + "\n")});
    ASSERT_EQ(source->header().size(), 10'000);
    EXPECT_EQ(source->header().back(), "c9999");
    EXPECT_EQ(source->first().offset, header.size() + 2);
    EXPECT_EQ(source->first().line, 2);
    EXPECT_THAT(rest(*source), ElementsAre(record + "@2"));
}

TEST_F(LoadSource, passes_over_a_record_that_is_too_long_and_keeps_its_first_kilobyte) {
    const std::string line = "{" + std::string(5000, 'x') + "}";
    const auto lines = "\n{1}\n\n" + line + "\n{2}\n" + line;
    EXPECT_THAT(rest(*open({.path = file("a.jsonl", lines), .longest_record = 4096})),
                ElementsAre("{1}@2", "too long 1024@4", "{2}@5", "too long 1024@6"));
    // In JSON a CR alone ends no line.
    const auto returns = "{" + std::string(5000, 'x') + "\rx\ry}\n{2}\n";
    EXPECT_THAT(rest(*open({.path = file("cr.jsonl", returns), .longest_record = 4096})),
                ElementsAre("too long 1024@1", "{2}@2"));
    // Longer than all room there is at first.
    const std::string huge(3'000'000, 'x');
    EXPECT_THAT(rest(*open({.path = file("b.jsonl", huge + "\n{2}\n"), .longest_record = 4096})),
                ElementsAre("too long 1024@1", "{2}@2"));
    EXPECT_THAT(rest(*open({.path = file("c.jsonl", huge + "\n{2}\n")})),
                ElementsAre(huge + "@1", "{2}@2"));
}

TEST_F(LoadSource, does_not_let_a_quote_that_never_closes_swallow_the_file) {
    std::string lines = "a,b\n1,\"open\n";
    for (int i = 0; i < 3000; ++i) lines += std::to_string(i) + ",x\n";
    const auto records =
        rest(*open({.path = file("a.csv", lines), .longest_record = 4096}), {.records = 7});
    ASSERT_EQ(records.size(), 3001);
    EXPECT_EQ(records[0], "1,\"open@2");
    EXPECT_EQ(records[1], "0,x@3");
    EXPECT_EQ(records.back(), "2999,x@3002");
    EXPECT_THAT(rest(*open({.path = file("c.csv", "a\r" + std::string(9000, 'x') + "\r2\r"),
                            .longest_record = 4096})),
                ElementsAre("too long 1024@2", "2@3"));
    const std::string long_line = "a\n\"" + std::string(9000, 'x') + "\n2\n";
    EXPECT_THAT(rest(*open({.path = file("b.csv", long_line), .longest_record = 4096})),
                ElementsAre("too long 1024@2", "2@3"));
}

TEST_F(LoadSource, closes_a_batch_at_its_limits) {
    const auto source = open({.path = file("a.jsonl", "{111}\n{2}\n\n{3333333333}\n{4}\n")});
    Batch batch;
    const auto texts = [&] {
        Texts all;
        for (const Slice& slice : batch.records) all.emplace_back(batch.text(slice));
        return all;
    };
    ASSERT_TRUE(*source->sample(batch, {.records = 3}));
    EXPECT_THAT(texts(), ElementsAre("{111}", "{2}", "{3333333333}"));
    ASSERT_TRUE(*source->next(batch, {.bytes = 10}));
    EXPECT_THAT(texts(), ElementsAre("{111}", "{2}"));
    EXPECT_FALSE(*source->next(batch, {.until = 11}));  // a blank line
    ASSERT_TRUE(*source->next(batch, {.bytes = 5}));    // longer than the limit: by itself
    EXPECT_THAT(texts(), ElementsAre("{3333333333}"));
    EXPECT_EQ(batch.begin, 10);
    EXPECT_EQ(batch.bytes, "\n{3333333333}\n");
    EXPECT_FALSE(*source->next(batch, {.until = batch.end}));
    ASSERT_TRUE(*source->next(batch, {}));
    EXPECT_EQ(batch.offset(batch.records[0]), 24);
    EXPECT_FALSE(*source->next(batch, {}));
}

TEST_F(LoadSource, holds_endless_blank_lines_in_little_room) {
    const auto source = open({.path = file("a.jsonl", std::string(5'000'000, '\n') + "{}")});
    Batch batch;
    ASSERT_TRUE(*source->next(batch, {.bytes = 1'000'000}));
    EXPECT_THAT(batch.records, IsEmpty());
    EXPECT_EQ(batch.lines, 1'000'000);
    EXPECT_THAT(rest(*source), ElementsAre("{}@5000001"));
}

TEST_F(LoadSource, names_what_is_wrong_with_an_input) {
    const std::string good = "{\"a\":1}\n{\"a\":2}\n";
    const std::string gzip = packed(good);
    std::string broken = packed(std::string(200'000, 'x'));
    broken[broken.size() / 2] ^= 0x55;
    const auto secret = file("secret.jsonl", good);
    ::chmod(secret.c_str(), 0);
    struct Case {
        std::string path;
        Cause cause;
        const char* says;
    };
    const Case cases[] = {
        {folder_ / "none.jsonl", Cause::not_found, "cannot be opened"},
        {secret, Cause::forbidden, "cannot be opened"},
        {folder_, Cause::invalid, "directory"},
        {file("a.csv", "a,b,a\n"), Cause::invalid, "names the column 'a' twice"},
        {file("b.csv", "a,,b\n"), Cause::invalid, "column 2 has no name"},
        {file("c.csv", "a,\"b\n"), Cause::invalid, "inside of a quote"},
        {file("d.csv", "a,\xff\n"), Cause::invalid, "not UTF-8"},
        {file("utf16.csv", "\xff\xfe"
                           "a"),
         Cause::invalid, "UTF-16"},
        {file("cut.gz", gzip.substr(0, 10)), Cause::corrupt, "ends too early"},
        {file("no_crc.gz", packed("").substr(0, 14)), Cause::corrupt, "ends too early"},
    };
    for (const Case& at : cases) {
        if (at.cause == Cause::forbidden && ::geteuid() == 0) continue;  // may read everything
        SCOPED_TRACE(at.path);
        const auto source = Source::open({.path = at.path});
        ASSERT_FALSE(source);
        EXPECT_EQ(source.error().cause, at.cause);
        EXPECT_THAT(source.error().message, HasSubstr(at.path));
        EXPECT_THAT(source.error().message, HasSubstr(at.says));
    }
}

TEST_F(LoadSource, gives_out_the_records_before_a_broken_place) {
    const std::string good = "{\"a\":1}\n{\"a\":2}\n";
    std::string bad_sum = packed(good);
    bad_sum[bad_sum.size() - 6] ^= 1;
    const struct {
        const char* name;
        std::string bytes;
        const char* says;
    } cases[] = {
        {"sum.gz", bad_sum, "sum.gz: at byte "},
        {"tail.gz", packed(good) + "more", "at byte "},
        {"second.gz", packed(good) + packed(good).substr(0, 15), "ends too early"},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.name);
        const auto source = open({.path = file(at.name, at.bytes)});
        Batch batch;
        ASSERT_TRUE(*source->next(batch, {}));
        EXPECT_GE(batch.records.size(), 1);
        auto more = source->next(batch, {});
        while (more && *more) more = source->next(batch, {});
        ASSERT_FALSE(more);
        EXPECT_EQ(more.error().cause, Cause::corrupt);
        EXPECT_THAT(more.error().message, HasSubstr(at.says));
    }
    EXPECT_THAT(rest(*open({.path = file("two.gz", packed("{1}\n") + packed("") + packed("{2}\n") +
                                                       std::string(512, '\0'))})),
                ElementsAre("{1}@1", "{2}@2"));
}

TEST_F(LoadSource, knows_its_beginning_again) {
    const auto digest = [&](const std::string& bytes, std::uint64_t of) {
        return *open({.path = file("a.csv", bytes)})->head(of);
    };
    const auto one = digest("a,b\n1,2\n", 4096);
    EXPECT_EQ(one.bytes, 8);
    EXPECT_EQ(one.digest.size(), 16);
    EXPECT_NE(one.digest, digest("a,b\n1,3\n", 4096).digest);
    EXPECT_EQ(one.digest, digest("a,b\n1,2\n3,4\n", 8).digest);
    EXPECT_EQ(digest("a\n" + std::string(200'000, 'x'), UINT64_MAX).bytes, 64 * 1024);
}

// What is believed to be right because it is simple: a state for each byte.
Texts naively(const std::string& bytes, Format format) {
    Texts records;
    std::string record;
    bool quoted = false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char c = bytes[i];
        const bool field_begins = record.empty() || record.back() == ',';
        if (format == Format::csv && c == '"') {
            if (!quoted && field_begins) quoted = true;
            else if (quoted && i + 1 < bytes.size() && bytes[i + 1] == '"') record += bytes[i++];
            else quoted = false;
        }
        const bool lone =
            format == Format::csv && c == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n');
        if ((c == '\n' || lone) && !quoted) {
            records.push_back(std::exchange(record, {}));
        } else record += c;
    }
    if (!record.empty()) records.push_back(record);
    for (std::string& one : records)
        if (one.ends_with('\r')) one.pop_back();
    std::erase_if(records, [](const std::string& one) { return one.empty(); });
    return records;
}

TEST_F(LoadSource, splits_the_same_from_every_border_of_a_batch) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 dice{seed};
        const Format format = seed % 2 ? Format::csv : Format::json_lines;
        std::string bytes;
        static constexpr std::string_view letters = "a,\"\n\r x\"\"\n";
        while (bytes.size() < 4000) bytes += letters[dice() % letters.size()];
        bytes += "\"\n\"";  // a quote left open is a matter of its own
        auto expected = naively(bytes, format);
        const std::string whole = (format == Format::csv ? "h\n" : "") + bytes;
        const auto path = file("random", seed % 3 == 0 ? packed(whole) : whole);
        const SourceOptions options{.path = path, .format = format};
        const BatchLimits limits{.records = 1 + dice() % 9, .bytes = 1 + dice() % 200};

        Texts all;
        std::vector<Mark> marks;
        Batch batch;
        const auto source = open(options);
        while (*source->next(batch, limits)) {
            marks.push_back({batch.begin, batch.first_line});
            for (const Slice& slice : batch.records) all.emplace_back(batch.text(slice));
        }
        if (format == Format::json_lines)
            std::erase_if(expected, [](const std::string& one) {
                return one.find_first_not_of(" \t\r") == std::string::npos;
            });
        const bool open_end = format == Format::csv && all != expected;
        // Only the tail may differ: there a quote was never closed.
        if (open_end) {
            const auto [ours, theirs] = std::ranges::mismatch(all, expected);
            ASSERT_EQ(theirs + 1, expected.end());
            ASSERT_TRUE(theirs->starts_with(*ours));
        }
        std::size_t before = 0;
        const auto complete = rest(*open(options));
        for (const Mark& mark : marks) {
            const auto again = open(options);
            ASSERT_TRUE(again->skip_to(mark));
            const auto records = rest(*again, {.records = 1 + dice() % 9});
            ASSERT_EQ(records, Texts(complete.end() - std::ssize(records), complete.end()));
            ASSERT_TRUE(before == 0 || records.size() <= before);
            before = records.size();
        }
    }
}

TEST_F(LoadSource, skips_forward_in_files_and_in_what_cannot_be_wound) {
    std::string lines;
    for (int i = 0; i < 300'000; ++i) lines += "{" + std::to_string(i) + "}\n";
    const std::uint64_t offset = lines.find("{250000}");
    for (const std::string& path : {file("a.jsonl", lines), file("a.gz", packed(lines))}) {
        SCOPED_TRACE(path);
        const auto source = open({.path = path});
        EXPECT_EQ(source->seekable(), path.ends_with("jsonl"));
        ASSERT_TRUE(source->skip_to({offset, 250'001}));
        Batch batch;
        ASSERT_TRUE(*source->next(batch, {.records = 1}));
        EXPECT_EQ(batch.text(batch.records[0]), "{250000}");
        EXPECT_EQ(batch.records[0].line, 250'001);
        EXPECT_FALSE(source->skip_to({3, 1}));
        EXPECT_EQ(source->skip_to({lines.size() + 1, 9}).error().cause, Cause::invalid);
        const auto other = open({.path = path});
        ASSERT_TRUE(other->skip_to({lines.size(), 300'001}));
        EXPECT_FALSE(*other->next(batch, {}));
        EXPECT_EQ(other->size(), std::filesystem::file_size(path));
    }
}

TEST_F(LoadSource, expands_patterns_in_order_of_name) {
    for (const char* name : {"b.csv", "a.csv", "c.jsonl", "[x].csv"}) file(name, "");
    const std::string at = folder_.string() + "/";
    EXPECT_THAT(*expand({"-", at + "[ab].csv", at + "c.jsonl"}),
                ElementsAre("-", at + "a.csv", at + "b.csv", at + "c.jsonl"));
    EXPECT_THAT(*expand({at + "[x].csv"}), ElementsAre(at + "[x].csv"));
    EXPECT_THAT(expand({at + "*.parquet"}).error().message, HasSubstr("no file matches"));
    EXPECT_EQ(expand({at + "none.csv"}).error().cause, Cause::not_found);
}

}  // namespace
}  // namespace tool::load
