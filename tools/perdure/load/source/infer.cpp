// SPDX-License-Identifier: Apache-2.0
//
// Which type keeps every value that was met? Kinds are collected as a set of bits and judged at the end,
// so that the order of records does not matter.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "load/source/csv_record.hpp"
#include "load/source/json_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_values.hpp"
#include "load/source/reading_wrapped.hpp"
#include "load/source/typed_text.hpp"

namespace tool::load {

namespace {

using Kinds = std::uint32_t;
constexpr Kinds small_integer = 1;  // one that a double holds as well
constexpr Kinds large_integer = 2;
constexpr Kinds real = 4;
constexpr Kinds boolean = 8;
constexpr Kinds nested = 16;
constexpr Kinds text = 32;
constexpr Kinds decimal = 64;  // a number that neither an int64 nor a double keeps
constexpr Kinds date = 128;
constexpr Kinds timestamp = 256;
constexpr Kinds timestamptz = 512;
constexpr Kinds uuid = 1024;

// Words that are truths only beside their opposites: a column of initials may hold "t" or "y".
struct BooleanPair {
    std::string_view yes;
    std::string_view no;
    Kinds kinds;  // of `yes`; that of `no` is the next bit
};
constexpr std::array<BooleanPair, 3> boolean_pairs{
    {{"t", "f", 1u << 16u}, {"yes", "no", 1u << 18u}, {"y", "n", 1u << 20u}}};

bool is_boolean(Kinds kinds) noexcept {
    for (const BooleanPair& pair : boolean_pairs) {
        const Kinds both = pair.kinds | pair.kinds << 1u;
        if ((kinds & both) == both) kinds = (kinds & ~both) | boolean;
    }
    return kinds == boolean;
}

Type type_for(Kinds kinds) noexcept {
    if (kinds == 0) return Type::text;
    if ((kinds & ~(small_integer | large_integer)) == 0) return Type::integer;
    if ((kinds & ~(small_integer | real)) == 0) return Type::real;
    if ((kinds & ~(small_integer | large_integer | real | decimal)) == 0) return Type::numeric;
    if (is_boolean(kinds)) return Type::boolean;
    switch (kinds) {
        case nested: return Type::json;
        case date: return Type::date;
        case timestamp: return Type::timestamp;
        case timestamptz: return Type::timestamptz;
        case uuid: return Type::uuid;
        default: return Type::text;
    }
}

Kinds number_kinds(std::string_view token) noexcept {
    if (is_plain_integer(token)) {
        const std::size_t digits = token.size() - (token.front() == '-' ? 1 : 0);
        return digits <= 15 ? small_integer : large_integer;
    }
    const bool whole = number_form(token) == NumberForm::integer && token != "-0";
    if (!whole && is_plain_real(token)) return real;
    return is_decimal(token) ? decimal : text;
}

Kinds text_kinds(std::string_view value) noexcept {
    if (is_date(value)) return date;
    if (is_uuid(value)) return uuid;
    const auto time = parse_timestamp(value);
    if (!time || time->fraction.size() > most_second_digits) return text;
    return time->zone ? timestamptz : timestamp;
}

// true, True and TRUE; the short words in any case.
Kinds word_kinds(std::string_view value) noexcept {
    constexpr std::array<std::string_view, 6> words{"true",  "True",  "TRUE",
                                                    "false", "False", "FALSE"};
    if (std::ranges::find(words, value) != words.end()) return boolean;
    for (const BooleanPair& pair : boolean_pairs) {
        if (is_word(value, pair.yes)) return pair.kinds;
        if (is_word(value, pair.no)) return pair.kinds << 1u;
    }
    return 0;
}

Kinds csv_kinds(std::string_view value) noexcept {
    if (const Kinds word = word_kinds(value); word != 0) return word;
    return number_form(value) == NumberForm::none ? text_kinds(value) : number_kinds(value);
}

Kinds json_kinds(const JsonField& field, std::deque<std::string>& texts) {
    switch (field.kind) {
        case JsonKind::number: return number_kinds(field.token);
        case JsonKind::boolean: return boolean;
        case JsonKind::nested: return nested;
        case JsonKind::text: return text_kinds(unescape(field.token, texts).text);
        default: return 0;
    }
}

class Sampling {
public:
    Column& meet(std::string_view name, Kinds kinds) {
        const auto found = places_.find(name);
        if (found != places_.end()) {
            kinds_[found->second] |= kinds;
            return columns_[found->second];
        }
        places_.emplace(name, columns_.size());
        kinds_.push_back(kinds);
        return columns_.emplace_back(Column{.name = std::string{name}});
    }
    void read_json(std::string_view record, std::size_t readable);
    void read_csv(std::string_view record, char separator, const Header& header);
    [[nodiscard]] Result<std::vector<Column>> columns(const Inference& inference) &&;

private:
    std::map<std::string, std::size_t, std::less<>> places_{};
    std::vector<Column> columns_{};
    std::vector<Kinds> kinds_{};
    JsonReader json_{};
    std::vector<JsonField> json_fields_{};
    std::vector<CsvField> csv_fields_{};
    std::deque<std::string> texts_{};
    std::string first_wrong_{};  // why a record could not be read
};

void Sampling::read_json(std::string_view record, std::size_t readable) {
    texts_.clear();
    bool from_csv = false;
    if (std::string wrong = json_.split(record, readable, json_fields_, texts_); !wrong.empty()) {
        if (first_wrong_.empty()) first_wrong_ = std::move(wrong);
        return;
    }
    if (!json_fields_.empty() && json_fields_.front().name == wrapper_name) {
        const Unwrapped within = unwrap(json_fields_, json_, texts_);
        if (!within.wrong.empty()) return;
        if (!json_.split(within.record, 0, json_fields_, texts_).empty()) return;
        from_csv = within.from_csv;
    }
    for (const JsonField& field : json_fields_) {
        const bool as_csv = from_csv && field.kind == JsonKind::text;
        const Kinds kinds =
            as_csv ? csv_kinds(unescape(field.token, texts_).text) : json_kinds(field, texts_);
        Column& column = meet(field.name, kinds);
        if (as_csv) column.from_csv = true;
    }
}

void Sampling::read_csv(std::string_view record, char separator, const Header& header) {
    texts_.clear();
    if (!is_utf8(record) || !split_csv(record, separator, csv_fields_, texts_).empty()) return;
    if (csv_fields_.size() != header.size()) return;
    for (std::size_t i = 0; i < header.size(); ++i)
        kinds_[i] |= csv_fields_[i].is_null() ? Kinds{0} : csv_kinds(csv_fields_[i].text);
}

perdure::Fail wrong_sample(std::string message, std::string code = "types") {
    return perdure::fail({.cause = perdure::Cause::invalid,
                          .origin = perdure::Origin::application,
                          .code = std::move(code),
                          .message = std::move(message)});
}

Result<std::vector<Column>> Sampling::columns(const Inference& inference) && {
    if (columns_.empty())
        return wrong_sample("no record could be read, so there are no columns" +
                                (first_wrong_.empty() ? "" : "; the first one: " + first_wrong_),
                            "no-record");
    for (const Column& column : columns_)
        if (column.name.find('\0') != std::string::npos)
            return wrong_sample("the name of the field " + quoted_name(column.name) +
                                " has a NUL character in it");
    for (const auto& [name, type] : inference.types)
        if (!places_.contains(name))
            return wrong_sample("a type is given for " + quoted_name(name) +
                                ", and there is no such column");
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto known = inference.types.find(columns_[i].name);
        columns_[i].inferred = known == inference.types.end();
        columns_[i].type = columns_[i].inferred ? type_for(kinds_[i]) : known->second;
    }
    return std::move(columns_);
}

}  // namespace

Result<std::vector<Column>> infer(const Batch& sample, const Header& header,
                                  const Inference& inference) {
    Sampling sampling;
    if (sample.format == Format::csv)
        for (const std::string& name : header) sampling.meet(name, 0).from_csv = true;
    for (const Slice& slice : sample.records) {
        if (slice.too_long) continue;
        if (sample.format == Format::csv)
            sampling.read_csv(sample.text(slice), sample.separator, header);
        else sampling.read_json(sample.text(slice), sample.bytes.size() - slice.end);
    }
    return std::move(sampling).columns(inference);
}

}  // namespace tool::load
