// SPDX-License-Identifier: Apache-2.0
//
// Is an input recognised by its first bytes, and what cannot be read refused with a command that helps?
#include <gmock/gmock.h>

#include "load/source/foreign_format.hpp"
#include "load_source_case.hpp"

#ifdef PERDURE_HAS_ZSTD
#include <zstd.h>
#endif

namespace tool::load {
namespace {

using perdure::Cause;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::string_literals;

using LoadForeign = SourceCase;

std::string utf16(std::string_view text, bool low_first) {
    std::string out;
    for (const char c : text) out += low_first ? std::string{c, '\0'} : std::string{'\0', c};
    return out;
}

TEST_F(LoadForeign, is_refused_with_what_it_is_and_a_command_that_helps) {
    const struct {
        const char* name;
        std::string bytes;
        const char* is;
        const char* cure;
    } cases[] = {
        {"a.csv", "\xff\xfe" + utf16("a,b\n", true), "is UTF-16 text",
         "`iconv -f UTF-16 -t UTF-8 FOLDER/a.csv | perdure load - --as FOLDER/a.csv …`"},
        {"b.csv", "\xfe\xff" + utf16("a,b\n", false), "is UTF-16 text", "iconv -f UTF-16 "},
        {"c.csv", utf16("a,b\n", true), "is UTF-16 text", "iconv -f UTF-16LE -t UTF-8 "},
        {"d.jsonl", utf16("{\"a\":1}\n", false), "is UTF-16 text", "iconv -f UTF-16BE -t UTF-8 "},
        {"e.csv", "\xff\xfe\0\0a\0\0\0"s, "is UTF-32 text", "iconv -f UTF-32 -t UTF-8 "},
        {"f.csv", "\0\0\xfe\xff\0\0\0a"s, "is UTF-32 text", "iconv -f UTF-32 -t UTF-8 "},
        {"a.bz2", "BZh91AY&SY\x01\x02\0\0"s, "is packed by bzip2", "`bzcat "},
        {"a.csv",
         "\xfd"
         "7zXZ\0\0\x04"s,
         "is packed by xz", "`xzcat FOLDER/a.csv | perdure load"},
        {"a.lz4", "\x04\x22\x4d\x18\x64", "is packed by lz4", "`lz4cat "},
        {"a.xlsx", "PK\x03\x04\x14\0"s, "is an Excel workbook or another zip archive",
         "Save a workbook as CSV; of another archive `unzip -p "},
        {"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Excel workbook", "Save it as CSV"},
        {"a.parquet", "PAR1\x15\x04\x15", "is a Parquet file",
         "`duckdb -c \"copy (select * from 'FOLDER/a.parquet') to "},
        {"a.avro", "Obj\x01\x04", "is an Avro file", "`fastavro "},
        {"a.orc", "ORC\x08\x03\0"s, "is an ORC file", "`orc-contents "},
        {"a.db", "SQLite format 3\0\x10"s, "is a SQLite database", "`sqlite3 -csv -header "},
        {"a.pdf", "%PDF-1.7\n", "is a PDF document", "as CSV"},
        {"a.7z", "7z\xbc\xaf\x27\x1c", "is a 7-Zip archive", "`7z x -so "},
        {"a.tar", "x.csv" + std::string(252, '\0') + "ustar", "is a tar archive", "`tar -xOf "},
        {"a.csv.gz", packed("\xff\xfe" + utf16("a", true)), "is UTF-16 text",
         "`zcat FOLDER/a.csv.gz | iconv -f UTF-16 -t UTF-8 | perdure load - --as FOLDER/a.csv.gz "
         "…`"},
        {"a.tar.gz", packed("x.csv" + std::string(252, '\0') + "ustar"), "is a tar archive", ""},
        {"b.gz", packed(packed("a,b\n")), "is packed twice", "`zcat "},
        {"it's.xz",
         "\xfd"
         "7zXZ\0"s,
         "is packed by xz", "'FOLDER/it'\\''s.xz'"},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.name);
        const auto source = Source::open({.path = file(at.name, at.bytes)});
        ASSERT_FALSE(source);
        EXPECT_EQ(source.error().cause, Cause::invalid);
        std::string message = source.error().message;
        for (std::size_t i = 0; (i = message.find(folder_.string())) != std::string::npos;)
            message.replace(i, folder_.string().size(), "FOLDER");
        EXPECT_THAT(message, AllOf(HasSubstr(at.is), HasSubstr(at.cure)));
    }
}

TEST_F(LoadForeign, is_not_what_only_begins_with_the_same_letters) {
    for (const char* text : {"ORC,name\n1,2\n", "PAR1,PAR2\n1,2\n", "BZh,a\n1,2\n", "PK,a\n1,2\n",
                             "Obj,a\n1,2\n", "a,b\n1,2\n", "", "a"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(refuse_foreign(text, "x"), "");
    }
}

TEST_F(LoadForeign, json_over_several_lines_is_refused_with_the_command_that_makes_lines) {
    const auto refusal = [&](const std::string& bytes) {
        const auto source = Source::open({.path = file("x.json", bytes)});
        return source ? std::string{} : source.error().message;
    };
    const std::string start =
        "its first line is not a whole JSON object: this is JSON over several lines. `jq -c . ";
    EXPECT_THAT(refusal("{\n  \"id\": 1\n}\n"), HasSubstr(start));
    EXPECT_THAT(refusal("{\n}"), HasSubstr(start));
    EXPECT_THAT(refusal("\n {\"a\":1,\n\"b\":2}\n{\"a\":2,\n\"b\":3}\n"), HasSubstr(start));
    EXPECT_THAT(refusal("{\n  \"count\": {\"a\": [1]},\n  \"items\": [\n    {\"id\": 1}\n  ]\n}"),
                AllOf(HasSubstr(start), HasSubstr("`jq -c '.items[]' "),
                      HasSubstr("loads what 'items' holds")));
    std::string large = "{\n\"items\": [\n";
    for (int i = 0; i < 50'000; ++i) large += "{\"id\": " + std::to_string(i) + "},\n";
    EXPECT_THAT(refusal(large + "{}]}"), HasSubstr("'.items[]'"));
    EXPECT_THAT(refusal(large), HasSubstr("'.items[]'"));
}

TEST_F(LoadForeign, a_broken_first_line_of_json_is_a_record_and_no_reason_to_refuse_the_rest) {
    for (const char* bytes :
         {"{\"a\":\n{\"a\":1}\n{\"a\":2}\n", "{\"a\":\n{\"a\":1}\n", "{\"a\n{\"a\":1}\n", "{\n",
          "{\"a\":1,\n{\"a\":2}\n", "{\"a\":1}\n}\n"}) {
        SCOPED_TRACE(bytes);
        EXPECT_TRUE(Source::open({.path = file("x.json", bytes)}));
    }
    std::string lines = "{\"a\":\n";
    for (int i = 0; i < 50'000; ++i) lines += "{\"a\": " + std::to_string(i) + "}\n";
    EXPECT_EQ(rest(*open({.path = file("x.json", lines)})).size(), 50'001);
}

#ifdef PERDURE_HAS_ZSTD

std::string zstd_packed(const std::string& bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
    return out;
}

const std::string skippable = "\x5a\x2a\x4d\x18\x03\0\0\0xyz"s;

TEST_F(LoadForeign, zstd_is_read_frame_after_frame) {
    const std::string one = "id,name\n1,one\n";
    EXPECT_THAT(rest(*open({.path = file("a.csv.zst", zstd_packed(one))})), ElementsAre("1,one@2"));
    const std::string several = skippable + zstd_packed(one) + skippable + zstd_packed("") +
                                zstd_packed("2,two\n") + skippable;
    EXPECT_THAT(rest(*open({.path = file("whatever", several), .format = Format::csv})),
                ElementsAre("1,one@2", "2,two@3"));
    EXPECT_EQ(open({.path = file("a.tsv.zst", zstd_packed("a\tb\n"))})->separator(), '\t');
    std::string lines;
    for (int i = 0; i < 300'000; ++i) lines += "{" + std::to_string(i) + "}\n";
    const auto source = open({.path = file("a.jsonl.zst", zstd_packed(lines))});
    EXPECT_FALSE(source->seekable());
    ASSERT_TRUE(source->skip_to({lines.find("{299998}"), 299'999}));
    EXPECT_THAT(rest(*source), ElementsAre("{299998}@299999", "{299999}@300000"));
    EXPECT_EQ(source->consumed(), source->size());
}

TEST_F(LoadForeign, zstd_that_is_broken_gives_out_what_is_before_and_names_the_byte) {
    std::string lines;
    for (int i = 0; i < 100'000; ++i)
        lines += "{\"a\":" + std::to_string(i * 7919 % 100'003) + "}\n";
    const std::string whole = zstd_packed(lines);
    std::string bad = whole;
    bad[bad.size() - 10] ^= 0x55;
    const struct {
        const char* name;
        std::string bytes;
        const char* says;
    } cases[] = {
        {"cut.zst", whole.substr(0, whole.size() - 10), "ends too early"},
        {"tail.zst", whole + "more", "at byte "},
        {"second.zst", whole + whole.substr(0, 100), "ends too early"},
        {"bad.zst", bad, "bad.zst: at byte "},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.name);
        const Texts records = rest(*open({.path = file(at.name, at.bytes)}));
        EXPECT_GT(records.size(), 1000);
        EXPECT_THAT(records.back(), AllOf(HasSubstr("failure: "), HasSubstr(at.says)));
    }
    const auto empty = Source::open({.path = file("short.zst", whole.substr(0, 5))});
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().cause, Cause::corrupt);
}

#endif

}  // namespace
}  // namespace tool::load
