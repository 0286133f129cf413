// SPDX-License-Identifier: Apache-2.0
#include "load/source/reading.hpp"

#include "load/source/csv_record.hpp"
#include "load/source/json_record.hpp"
#include "load/source/reading_values.hpp"
#include "load/source/reading_wrapped.hpp"
#include "load/source/typed_text.hpp"

namespace tool::load {

namespace {

// Which column is a field for? Records mostly have their fields in one order, and columns follow it.
class Columns {
public:
    explicit Columns(const Schema& schema) : schema_{schema}, index_{schema} {}
    std::size_t find(std::string_view name) {
        if (next_ < schema_.columns.size() && schema_.columns[next_].name == name) return next_++;
        const auto found = index_.find(schema_, name);
        if (!found) return std::string_view::npos;
        next_ = *found + 1;
        return *found;
    }
    void rewind() noexcept { next_ = 0; }

private:
    const Schema& schema_;
    const ColumnIndex index_;
    std::size_t next_ = 0;
};

class RowReading {
public:
    RowReading(const Batch& batch, const Header& header, const Schema& schema, Rows& out);
    void read(std::size_t record);

private:
    [[nodiscard]] std::string wrong_with(const Slice& slice);
    [[nodiscard]] std::string read_json(std::string_view record, std::size_t readable);
    [[nodiscard]] std::string put_json(bool from_csv);
    [[nodiscard]] std::string read_csv(std::string_view record);
    // Where the field's value belongs; nothing: `wrong` says why.
    [[nodiscard]] Value* place_for(std::size_t column, std::string_view name, std::string& wrong);
    // What is wrong with the value that was read for the column; a key is brought into its one form.
    [[nodiscard]] std::string finish(std::size_t column, Value& value);
    [[nodiscard]] std::string misfit(std::size_t column, std::string_view wrong) const;
    [[nodiscard]] std::string missing() const;
    [[nodiscard]] bool is_key(std::size_t column) const noexcept {
        return schema_.key == column || schema_.sort == column;
    }
    [[nodiscard]] Value& value(std::size_t column) const noexcept {
        return out_.values[row_ + column];
    }

    const Batch& batch_;
    const Header& header_;
    const Schema& schema_;
    Rows& out_;
    Columns columns_;
    std::vector<std::size_t> of_header_{};  // for each name in it, the column
    std::vector<std::size_t> wanted_{};     // columns that take no null
    std::vector<char> unfinished_{};        // for each column, whether finish() has work to do
    std::vector<std::size_t> seen_;         // for each column, the last record that had it, from 1
    std::size_t record_ = 0;
    std::size_t row_ = 0;  // its first value
    bool all_utf8_;
    JsonReader json_{};
    std::vector<JsonField> json_fields_{};
    std::vector<CsvField> csv_fields_{};
};

RowReading::RowReading(const Batch& batch, const Header& header, const Schema& schema, Rows& out)
    : batch_{batch},
      header_{header},
      schema_{schema},
      out_{out},
      columns_{schema},
      seen_(schema.columns.size()),
      all_utf8_{batch.format == Format::csv && is_utf8(batch.bytes)} {
    if (batch.format == Format::csv)
        for (const std::string& name : header) of_header_.push_back(columns_.find(name));
    for (std::size_t i = 0; i < schema.columns.size(); ++i)
        if (schema.columns[i].required || schema.key == i) wanted_.push_back(i);
    for (std::size_t i = 0; i < schema.columns.size(); ++i)
        unfinished_.push_back(is_limited(schema.columns[i]) ||
                                      (is_key(i) && has_one_form(schema.columns[i].type))
                                  ? 1
                                  : 0);
}

void RowReading::read(std::size_t record) {
    record_ = record;
    row_ = out_.values.size();
    out_.values.resize(row_ + out_.width);
    std::string wrong = wrong_with(batch_.records[record]);
    if (wrong.empty()) wrong = missing();
    if (wrong.empty()) {
        out_.records.push_back(record);
        return;
    }
    out_.values.resize(row_);
    out_.rejected.push_back({record, std::move(wrong)});
}

std::string RowReading::wrong_with(const Slice& slice) {
    if (!slice.fault.empty()) return std::string{slice.fault};
    if (slice.too_long) return std::string{too_long_reason};
    const std::string_view record = batch_.text(slice);
    if (batch_.format == Format::csv) return read_csv(record);
    return read_json(record, batch_.bytes.size() - slice.end);
}

Value* RowReading::place_for(std::size_t column, std::string_view name, std::string& wrong) {
    if (column == std::string_view::npos) {
        wrong = "field " + quoted_name(name) + " is not among the columns of this load";
        return nullptr;
    }
    if (seen_[column] == record_ + 1) {
        wrong = "field " + quoted_name(name) + " is there twice";
        return nullptr;
    }
    seen_[column] = record_ + 1;
    return &value(column);
}

// A database that keeps the key as text would take two spellings of one value for two keys.
std::string RowReading::finish(std::size_t column, Value& value) {
    const Column& target = schema_.columns[column];
    const std::string wrong = beyond_limits(target, value);
    if (!wrong.empty()) return misfit(column, wrong);
    if (!is_key(column) || !has_one_form(target.type) || value.kind != ValueKind::text) return {};
    std::string form;
    if (one_form(target.type, value.text, form) != value.text)
        value = Value{std::string_view{out_.texts.emplace_back(std::move(form))}};
    return {};
}

std::string RowReading::misfit(std::size_t column, std::string_view wrong) const {
    const Column& target = schema_.columns[column];
    const std::string name = quoted_name(target.name);
    std::string reason = "field " + name + ' ' + std::string{wrong};
    if (target.inferred && target.type != Type::text)
        reason += "; --type " + name.substr(1, name.size() - 2) +
                  "=text, when the table is made, takes any value";
    return reason;
}

std::string RowReading::read_json(std::string_view record, std::size_t readable) {
    std::string wrong = json_.split(record, readable, json_fields_, out_.texts);
    if (!wrong.empty()) return wrong;
    if (json_fields_.empty() || json_fields_.front().name != wrapper_name) return put_json(false);
    const Unwrapped within = unwrap(json_fields_, json_, out_.texts);
    if (!within.wrong.empty()) return within.wrong;
    wrong = json_.split(within.record, 0, json_fields_, out_.texts);
    return wrong.empty() ? put_json(within.from_csv) : wrong;
}

std::string RowReading::put_json(bool from_csv) {
    columns_.rewind();
    std::string wrong;
    for (const JsonField& field : json_fields_) {
        const std::size_t column = columns_.find(field.name);
        Value* const into = place_for(column, field.name, wrong);
        if (!into) return wrong;
        const bool as_csv = from_csv && field.kind == JsonKind::text;
        const Type type = schema_.columns[column].type;
        std::string_view unfit = json_value(as_csv ? Type::text : type, field, out_.texts, *into);
        if (unfit.empty() && as_csv) unfit = csv_value(type, into->text, *into);
        if (!unfit.empty()) return misfit(column, unfit);
        if (unfinished_[column] == 0) continue;
        wrong = finish(column, *into);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string RowReading::read_csv(std::string_view record) {
    if (!all_utf8_ && !is_utf8(record)) return "its text is not UTF-8";
    if (record.find('\0') != std::string_view::npos) return "its text holds a NUL character";
    if (record.starts_with("\xef\xbb\xbf"))
        return "begins with a byte order mark, as if another file had been appended here";
    const auto broken = split_csv(record, batch_.separator, csv_fields_, out_.texts);
    if (!broken.empty()) return std::string{broken};
    if (csv_fields_.size() != header_.size())
        return "has " + std::to_string(csv_fields_.size()) +
               (csv_fields_.size() == 1 ? " field, the header has " : " fields, the header has ") +
               std::to_string(header_.size());
    std::string wrong;
    for (std::size_t i = 0; i < csv_fields_.size(); ++i) {
        Value* const into = place_for(of_header_[i], header_[i], wrong);
        if (!into) return wrong;
        if (csv_fields_[i].is_null()) continue;
        const std::size_t column = of_header_[i];
        const std::string_view unfit =
            csv_value(schema_.columns[column].type, csv_fields_[i].text, *into);
        if (!unfit.empty()) return misfit(column, unfit);
        if (unfinished_[column] == 0) continue;
        wrong = finish(column, *into);
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string RowReading::missing() const {
    for (const std::size_t column : wanted_) {
        if (value(column).kind != ValueKind::null) continue;
        const std::string name = quoted_name(schema_.columns[column].name);
        return schema_.key == column ? "has no value for the key " + name
                                     : "has no value for " + name + ", which takes no null";
    }
    return {};
}

}  // namespace

void read_rows(const Batch& batch, const Header& header, const Schema& schema, Rows& out) {
    out.width = schema.columns.size();
    out.values.clear();
    out.records.clear();
    out.rejected.clear();
    out.texts.clear();
    out.values.reserve(batch.records.size() * out.width);
    out.records.reserve(batch.records.size());
    RowReading reading{batch, header, schema, out};
    for (std::size_t i = 0; i < batch.records.size(); ++i) reading.read(i);
}

}  // namespace tool::load
