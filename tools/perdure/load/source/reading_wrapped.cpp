// SPDX-License-Identifier: Apache-2.0
#include "load/source/reading_wrapped.hpp"

#include <algorithm>
#include <utility>

#include "load/source/csv_record.hpp"
#include "text/json_text.hpp"

namespace tool::load {

namespace {

JsonField find(const std::vector<JsonField>& fields, std::string_view name) noexcept {
    const auto found = std::ranges::find(fields, name, &JsonField::name);
    return found == fields.end() ? JsonField{} : *found;
}

// A text that somebody has mended is JSON, or CSV under the header that the line names.
void read_text(const JsonField& header, std::string_view text, std::deque<std::string>& texts,
               Unwrapped& out) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && text[first] == '{';
    out.record = text;
    if (json || !out.from_csv || header.kind != JsonKind::text) {
        out.from_csv = false;
        return;
    }
    const Unescaped names = unescape(header.token, texts);
    std::string object = names.good ? csv_as_object(names.text, text) : std::string{};
    if (object.empty()) out.wrong = "\"text\" is not one record of the CSV that \"header\" names";
    else out.record = texts.emplace_back(std::move(object));
}

}  // namespace

std::string csv_as_object(std::string_view header, std::string_view record) {
    const NamedColumns columns = read_csv_header(header);
    std::vector<CsvField> fields;
    std::deque<std::string> texts;
    const auto wrong = split_csv(record, columns.separator, fields, texts);
    if (!wrong.empty() || fields.size() != columns.names.size() || !is_utf8(record)) return {};
    std::string object = "{";
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) object += ',';
        object += json_text(columns.names[i]) + ':';
        object += fields[i].is_null() ? "null" : json_text(fields[i].text);
    }
    return object + '}';
}

Unwrapped unwrap(const std::vector<JsonField>& fields, JsonReader& reader,
                 std::deque<std::string>& texts) {
    Unwrapped out;
    std::vector<JsonField> about;
    const JsonField& wrapper = fields.front();
    if (wrapper.token.front() == '{') out.wrong = reader.split(wrapper.token, 0, about, texts);
    if (!out.wrong.empty()) return out;
    out.from_csv = find(about, "from").token == "\"csv\"";

    const JsonField record = find(fields, "record");
    const JsonField text = find(fields, "text");
    if (find(about, "cut").token == "true") {
        out.wrong = too_long_reason;
    } else if (!record.token.empty()) {
        out.record = record.token;
    } else if (text.kind != JsonKind::text) {
        out.wrong = "a rejected record without \"record\" and \"text\"";
    } else if (!find(fields, "bytes").token.empty()) {
        // The text is not what was there: loading it would change the record behind its owner's back.
        out.wrong = "its text is not UTF-8; repair \"text\" and take \"bytes\" away";
    } else {
        const Unescaped whole = unescape(text.token, texts);
        if (whole.good) read_text(find(about, "header"), whole.text, texts, out);
        else out.wrong = "\"text\" holds an escape that stands for no character";
    }
    return out;
}

}  // namespace tool::load
