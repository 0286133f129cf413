// SPDX-License-Identifier: Apache-2.0
#include "load/source/foreign_format.hpp"

#include <algorithm>

#include "load/source/json_record_fault.hpp"

namespace tool::load {

namespace {

using namespace std::string_view_literals;

enum class Cure : std::uint8_t { filter, words };
// Formats of text that begin with letters of a CSV header need a byte that no text has.
enum class Needs : std::uint8_t { magic, control_byte };

struct Foreign {
    std::size_t at;  // where the magic stands
    std::string_view magic;
    std::string_view what;
    Cure kind;
    std::string_view cure;  // of `words`: @ is the file's name for a shell, # as it is
    Needs needs = Needs::magic;
};

// The magic of UTF-32 LE begins with that of UTF-16 LE, so it stands first.
constexpr Foreign foreign_formats[] = {
    {0, "\xff\xfe\0\0"sv, "UTF-32 text", Cure::filter, "iconv -f UTF-32 -t UTF-8"},
    {0, "\0\0\xfe\xff"sv, "UTF-32 text", Cure::filter, "iconv -f UTF-32 -t UTF-8"},
    {0, "\xff\xfe", "UTF-16 text", Cure::filter, "iconv -f UTF-16 -t UTF-8"},
    {0, "\xfe\xff", "UTF-16 text", Cure::filter, "iconv -f UTF-16 -t UTF-8"},
    {0, "\x1f\x8b", "packed twice", Cure::filter, "zcat"},
    {0, "\x28\xb5\x2f\xfd", "packed twice", Cure::filter, "zstdcat"},
    {0, "BZh", "packed by bzip2", Cure::filter, "bzcat", Needs::control_byte},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "packed by xz", Cure::filter, "xzcat"},
    {0, "\x04\x22\x4d\x18", "packed by lz4", Cure::filter, "lz4cat"},
    {0, "\x1f\x9d", "packed by compress", Cure::filter, "zcat"},
    {0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive", Cure::words,
     "`7z x -so @ | perdure load - --as @ …` loads the file in it"},
    {0, "PK\x03\x04", "an Excel workbook or another zip archive", Cure::words,
     "Save a workbook as CSV; of another archive `unzip -p @ | perdure load - --as @ …` loads the "
     "file in it"},
    {0, "PK\x05\x06", "an empty zip archive", Cure::words, ""},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook or another document of Office",
     Cure::words, "Save it as CSV"},
    {0, "PAR1", "a Parquet file", Cure::words,
     "`duckdb -c \"copy (select * from '#') to 'records.csv' (header)\"` makes CSV of it",
     Needs::control_byte},
    {0, "Obj\x01", "an Avro file", Cure::filter, "fastavro"},
    {0, "ORC", "an ORC file", Cure::filter, "orc-contents", Needs::control_byte},
    {0, "SQLite format 3\0"sv, "a SQLite database", Cure::words,
     "`sqlite3 -csv -header @ 'select * from TABLE' | perdure load - --as @ …` loads a table of "
     "it"},
    {0, "%PDF-", "a PDF document", Cure::words, "Export its table as CSV"},
    {257, "ustar", "a tar archive", Cure::words,
     "`tar -xOf @ MEMBER | perdure load - --as MEMBER …` loads a file in it; `tar -tf @` lists "
     "them"},
};

bool has_control_byte(std::string_view head) noexcept {
    return std::ranges::any_of(head, [](char c) { return static_cast<unsigned char>(c) < 9; });
}

bool matches(const Foreign& one, std::string_view head) noexcept {
    return head.size() >= one.at && head.substr(one.at).starts_with(one.magic) &&
           (one.needs == Needs::magic || has_control_byte(head));
}

// "LE" or "BE" for the first letters of UTF-16 without a byte order mark; empty: it is something else.
std::string_view utf16_order(std::string_view head) noexcept {
    const std::size_t units = std::min<std::size_t>(head.size(), 16) / 2;
    if (units < 2) return {};
    std::size_t low_first = 0;
    std::size_t high_first = 0;
    for (std::size_t i = 0; i < units; ++i) {
        const bool first = head[2 * i] == '\0';
        const bool second = head[2 * i + 1] == '\0';
        low_first += !first && second ? 1 : 0;
        high_first += first && !second ? 1 : 0;
    }
    if (low_first == units) return "LE";
    return high_first == units ? "BE" : std::string_view{};
}

// As a word of a shell.
std::string shell_word(const std::string& path) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/=@%,:";
    if (!path.empty() && path.find_first_not_of(plain) == std::string::npos) return path;
    std::string word = "'";
    for (const char c : path) word += c == '\'' ? "'\\''" : std::string{c};
    return word + '\'';
}

std::string with_name(std::string_view cure, const std::string& path) {
    const std::string word = shell_word(path);
    std::string text;
    for (const char c : cure) text += c == '@' ? word : c == '#' ? path : std::string{c};
    return text;
}

// The first field of the object at the front of `text` that holds a list.
std::string_view list_field(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    std::size_t at = text.find('{') + 1;
    for (;;) {
        at = text.find_first_not_of(spaces, at);
        if (at == std::string_view::npos || text[at] != '"') return {};
        const JsonScan name = scan_json(text.substr(at));
        if (!name.good()) return {};
        const std::string_view found = text.substr(at + 1, name.end - 2);
        at = text.find_first_not_of(spaces, at + name.end);
        if (at == std::string_view::npos || text[at] != ':') return {};
        at = text.find_first_not_of(spaces, at + 1);
        if (at == std::string_view::npos) return {};
        if (text[at] == '[') return found;
        const JsonScan value = scan_json(text.substr(at));
        at = text.find_first_not_of(spaces, at + value.end);
        if (!value.good() || at == std::string_view::npos || text[at] != ',') return {};
        ++at;
    }
}

bool is_plain_name(std::string_view name) noexcept {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !name.empty() && name.find_first_not_of(letters) == std::string_view::npos &&
           !(name.front() >= '0' && name.front() <= '9');
}

}  // namespace

std::string through(std::string_view filter, const std::string& path) {
    const std::string word = shell_word(path);
    const std::string name = path == "-" ? "" : " --as " + word;
    std::string command{filter};
    if (path.ends_with(".gz")) command = "zcat " + word + " | " + command;
    else if (path.ends_with(".zst") && filter != "zstdcat")
        command = "zstdcat " + word + " | " + command;
    else if (path != "-") command += ' ' + word;
    return '`' + command + " | perdure load -" + name + " …`";
}

std::string refuse_foreign(std::string_view head, const std::string& path) {
    for (const Foreign& one : foreign_formats) {
        if (!matches(one, head)) continue;
        const std::string what = "is " + std::string{one.what};
        if (one.kind == Cure::filter)
            return what + ", which is not supported. Use " + through(one.cure, path);
        return what + (one.cure.empty() ? "" : ". " + with_name(one.cure, path));
    }
    const std::string_view order = utf16_order(head);
    if (order.empty()) return {};
    const std::string filter = "iconv -f UTF-16" + std::string{order} + " -t UTF-8";
    return "is UTF-16 text, which is not supported. Use " + through(filter, path);
}

std::string refuse_json_over_lines(std::string_view head, HeadIs is, const std::string& path) {
    // Whole lines, so that no token ends too early.
    if (is == HeadIs::beginning) head = head.substr(0, head.rfind('\n') + 1);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || head[first] != '{') return {};
    const std::string_view text = head.substr(first);
    const JsonScan scan = scan_json(text);
    const bool goes_on = is == HeadIs::beginning && scan.end == text.size();
    if (!scan.good() && !goes_on) return {};
    if (text.substr(0, scan.end).find('\n') == std::string_view::npos) return {};
    const std::string_view list = list_field(text);
    const std::string lines =
        "its first line is not a whole JSON object: this is JSON over several "
        "lines. " +
        through("jq -c .", path) + " makes lines of it";
    if (!is_plain_name(list)) return lines;
    return lines + "; " + through("jq -c '." + std::string{list} + "[]'", path) + " loads what '" +
           std::string{list} + "' holds";
}

}  // namespace tool::load
