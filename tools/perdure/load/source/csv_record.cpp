// SPDX-License-Identifier: Apache-2.0
#include "load/source/csv_record.hpp"

#include <algorithm>

namespace tool::load {

namespace {

// `record` begins with the quote and, afterwards, with what follows the field.
std::string_view take_quoted(std::string_view& record, std::string_view& text,
                             std::deque<std::string>& texts) {
    std::string* whole = nullptr;  // once a doubled quote was met
    std::size_t from = 1;
    for (;;) {
        const std::size_t quote = record.find('"', from);
        if (quote == std::string_view::npos) return "a quote is opened and never closed";
        const std::string_view part = record.substr(from, quote - from);
        const bool doubled = quote + 1 < record.size() && record[quote + 1] == '"';
        if (doubled && whole == nullptr) whole = &texts.emplace_back();
        if (whole != nullptr) whole->append(part);
        if (!doubled) {
            text = whole != nullptr ? std::string_view{*whole} : part;
            record.remove_prefix(quote + 1);
            return {};
        }
        *whole += '"';
        from = quote + 2;
    }
}

}  // namespace

std::string_view split_csv(std::string_view record, char separator, std::vector<CsvField>& fields,
                           std::deque<std::string>& texts) {
    fields.clear();
    for (;;) {
        CsvField& field = fields.emplace_back();
        if (record.starts_with('"')) {
            field.quoted = true;
            const std::string_view wrong = take_quoted(record, field.text, texts);
            if (!wrong.empty()) return wrong;
            if (!record.empty() && record.front() != separator)
                return "a closing quote is followed by more text";
        } else {
            field.text = record.substr(0, record.find(separator));
            record.remove_prefix(field.text.size());
        }
        if (record.empty()) return {};
        record.remove_prefix(1);
    }
}

std::string csv_header(const Header& header, char separator) {
    std::string record;
    for (const std::string& name : header) {
        if (!record.empty()) record += separator;
        record += '"';
        for (const char c : name) record.append(c == '"' ? 2 : 1, c);
        record += '"';
    }
    return record;
}

NamedColumns read_csv_header(std::string_view record) {
    NamedColumns columns;
    std::deque<std::string> texts;
    std::string_view rest = record;
    std::string_view name;
    if (rest.starts_with('"') && take_quoted(rest, name, texts).empty() && !rest.empty())
        columns.separator = rest.front();
    std::vector<CsvField> fields;
    if (record.empty() || !split_csv(record, columns.separator, fields, texts).empty())
        return columns;
    for (const CsvField& field : fields) columns.names.emplace_back(field.text);
    return columns;
}

}  // namespace tool::load
