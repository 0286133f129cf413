// SPDX-License-Identifier: Apache-2.0
//
// What is this input? Told from its name, or from its first bytes.
#include "load/source/source.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <set>

#include "load/source/csv_record.hpp"
#include "load/source/csv_separator.hpp"
#include "load/source/foreign_format.hpp"
#include "load/source/json_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/source_records.hpp"
#include "perdure/try.hpp"

namespace tool::load {

namespace {

constexpr std::size_t most_of_head = std::size_t{64} * 1024;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

perdure::Fail unusable(const std::string& path, const std::string& what) {
    return perdure::fail({.cause = perdure::Cause::invalid,
                          .origin = perdure::Origin::application,
                          .message = path + ": " + what});
}

std::string_view bare_name(std::string_view path) noexcept {
    if (path.ends_with(".gz")) path.remove_suffix(3);
    else if (path.ends_with(".zst")) path.remove_suffix(4);
    return path;
}

// Objects, or an array of them. A CSV header may begin with a brace or a bracket, but not with an object.
bool is_json(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    std::size_t first = text.find_first_not_of(spaces);
    if (first != std::string_view::npos && text[first] == '[')
        first = text.find_first_not_of(spaces, first + 1);
    if (first == std::string_view::npos || text[first] != '{') return false;
    const JsonScan scan = scan_json(text.substr(first));
    return scan.good() || (text.size() >= most_of_head && first + scan.end == text.size());
}

// NUL for nothing but spaces.
char first_letter(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? '\0' : text[first];
}

Format format_of(std::string_view path, std::string_view beginning) noexcept {
    const std::string_view name = bare_name(path);
    if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::csv;
    const char first = first_letter(beginning);
    if (first == '[') return Format::json_array;
    if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Format::json_lines;
    return first == '{' || first == '\0' || name.ends_with(".json") ? Format::json_lines
                                                                    : Format::csv;
}

// What is guessed from, the same whatever pieces the input comes in.
struct Beginning {
    std::string_view text{};
    HeadIs is = HeadIs::whole;
};
Beginning beginning_of(std::string_view window, bool ended) noexcept {
    const std::string_view text = window.substr(0, most_of_head);
    return {text, ended && text.size() == window.size() ? HeadIs::whole : HeadIs::beginning};
}

// FNV-1a: two beginnings that differ in one byte never have the same.
std::string digest_of(std::string_view bytes) {
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(sum));
    return digits.data();
}

// An array that grows loses its closing bracket, and begins as it did otherwise.
std::string_view without_array_end(std::string_view text) noexcept {
    const auto trim = [&] { text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1); };
    trim();
    if (!text.ends_with(']')) return text;
    text.remove_suffix(1);
    trim();
    return text;
}

}  // namespace

Result<void> RecordSource::begin() {
    while (window().size() < most_of_head) {
        auto more = fill();
        if (!more && window().empty()) return more.take_failure();
        if (!more || !*more) break;
    }
    head_ = window().substr(0, most_of_head);
    if (const auto foreign = refuse_foreign(head_, path()); !foreign.empty())
        return unusable(path(), foreign);
    if (head_.starts_with(byte_order_mark)) move_on(byte_order_mark.size(), 0);
    rules_.format = options_.format ? *options_.format : format_of(path(), window());
    if (rules_.format == Format::csv && !options_.format && is_json(window()))
        return unusable(path(), "holds JSON, although its name says CSV. --format json reads it");
    if (rules_.format == Format::json_array && first_letter(window()) != '[')
        rules_.format = Format::json_lines;
    if (rules_.format == Format::json_array) begin_array();
    if (rules_.format == Format::json_array && ended_)
        head_.resize(without_array_end(head_).size());
    if (rules_.format == Format::json_lines) PERDURE_TRY(check_lines());
    note_line_ends(window().size());
    if (rules_.format == Format::csv) PERDURE_TRY(choose_separator());
    if (rules_.format == Format::csv) PERDURE_TRY(read_header());
    first_ = at_;
    return {};
}

Result<void> RecordSource::choose_separator() {
    guessed_ = !options_.separator && !bare_name(path()).ends_with(".tsv");
    if (guessed_) {
        const auto [text, is] = beginning_of(window(), ended_);
        rules_.separator = guess_separator(text, is);
        return {};
    }
    rules_.separator = options_.separator.value_or('\t');
    if (rules_.separator == '"' || rules_.separator == '\n' || rules_.separator == '\r')
        return unusable(path(), "fields cannot be separated by quotes or line ends");
    return {};
}

Result<void> RecordSource::check_lines() const {
    const auto [text, is] = beginning_of(window(), ended_);
    const auto why = refuse_json_over_lines(text, is, path());
    return why.empty() ? Result<void>{} : unusable(path(), why);
}

Result<void> RecordSource::read_header() {
    Batch batch;
    while (batch.records.empty()) {
        PERDURE_TRY_VALUE(const bool more, next(batch, {.records = 1}));
        if (!more) return {};
    }
    const Slice& slice = batch.records.front();
    if (slice.too_long) return unusable(path(), "its header is too long");
    if (slice.unfinished) return unusable(path(), "it ends inside of a quote of its header");
    const std::string_view record = batch.text(slice);
    if (!is_utf8(record))
        return unusable(
            path(),
            "its header is not UTF-8. Is it Windows-1252? `iconv -f WINDOWS-1252 -t UTF-8 " +
                path() + " | perdure load - --as " + path() + " …`");
    if (record.find('\0') != std::string_view::npos)
        return unusable(path(), "its header holds a NUL character");
    std::deque<std::string> texts;
    std::vector<CsvField> fields;
    const auto wrong = split_csv(record, rules_.separator, fields, texts);
    if (!wrong.empty()) return unusable(path(), "its header: " + std::string{wrong});
    std::set<std::string_view> met;
    for (const CsvField& field : fields) {
        if (field.text.empty())
            return unusable(path(), "its header: column " + std::to_string(header_.size() + 1) +
                                        " has no name");
        if (!met.insert(field.text).second)
            return unusable(path(),
                            "its header names the column '" + std::string{field.text} + "' twice");
        header_.emplace_back(field.text);
    }
    return {};
}

Result<Source::Head> RecordSource::head(std::uint64_t bytes) {
    const auto part =
        std::string_view{head_}.substr(0, std::min<std::uint64_t>(bytes, most_of_head));
    return Head{part.size(), digest_of(part)};
}

Result<std::unique_ptr<Source>> Source::open(const SourceOptions& options) {
    PERDURE_TRY_VALUE(auto bytes, open_bytes(options.path));
    auto source = std::make_unique<RecordSource>(options, std::move(bytes));
    PERDURE_TRY(source->begin());
    return std::unique_ptr<Source>{std::move(source)};
}

}  // namespace tool::load
