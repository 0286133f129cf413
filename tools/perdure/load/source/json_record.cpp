// SPDX-License-Identifier: Apache-2.0
#include "load/source/json_record.hpp"

#include <simdjson.h>

#include <optional>

#include "load/source/json_record_fault.hpp"

namespace tool::load {

namespace od = simdjson::ondemand;

namespace {

constexpr std::string_view spaces = " \t\r\n";

std::string_view trimmed(std::string_view token) noexcept {
    return token.substr(0, token.find_last_not_of(spaces) + 1);
}

unsigned hex4(std::string_view digits) noexcept {
    unsigned code = 0;
    for (const char c : digits.substr(0, 4))
        code = code * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    return code;
}

void append_utf8(std::string& out, unsigned code) {
    const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0u | code >> 6u);
        byte(0x80u | (code & 0x3fu));
    } else {
        if (code < 0x10000) byte(0xe0u | code >> 12u);
        else {
            byte(0xf0u | code >> 18u);
            byte(0x80u | (code >> 12u & 0x3fu));
        }
        byte(0x80u | (code >> 6u & 0x3fu));
        byte(0x80u | (code & 0x3fu));
    }
}

// `text` begins behind "\u" and, afterwards, behind the escape. A half of a surrogate pair alone is
// no character.
bool take_unicode(std::string_view& text, std::string& out) {
    unsigned code = hex4(text);
    text.remove_prefix(4);
    if (code >= 0xdc00 && code < 0xe000) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (!text.starts_with("\\u")) return false;
        const unsigned low = hex4(text.substr(2));
        if (low < 0xdc00 || low >= 0xe000) return false;
        code = 0x10000u + ((code - 0xd800u) << 10u) + (low - 0xdc00u);
        text.remove_prefix(6);
    }
    append_utf8(out, code);
    return true;
}

char plain_escape(char c) noexcept {
    switch (c) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return c;
    }
}

std::string explain(std::string_view record, simdjson::error_code error) {
    if (error == simdjson::UTF8_ERROR) return "its text is not UTF-8";
    const JsonScan scan = scan_whole_json(record);
    if (scan.good()) return "not a JSON record: " + std::string{simdjson::error_message(error)};
    return "not JSON: column " + std::to_string(scan.end + 1) + ": expected " +
           std::string{scan.expected};
}

// Nothing: it is no JSON value.
std::optional<JsonKind> kind_of(std::string_view token) noexcept {
    switch (token.empty() ? '\0' : token.front()) {
        case '"': return JsonKind::text;
        case '{':
        case '[': return JsonKind::nested;
        case 't': return token == "true" ? std::optional{JsonKind::boolean} : std::nullopt;
        case 'f': return token == "false" ? std::optional{JsonKind::boolean} : std::nullopt;
        case 'n': return token == "null" ? std::optional{JsonKind::null} : std::nullopt;
        default:
            if (number_form(token) == NumberForm::none) return std::nullopt;
            return JsonKind::number;
    }
}

// A value's whole text; `rest` is the record from where the value begins.
std::string_view whole_token(std::string_view raw, std::string_view rest) {
    const char first = raw.front();
    if (first != '"' && first != '{' && first != '[') return trimmed(raw);
    // Its escapes and numbers are looked at by nobody else. A text without escapes is as it seems.
    raw = trimmed(raw);
    if (first == '"' && raw.size() > 1 && raw.back() == '"' &&
        raw.find('\\') == std::string_view::npos)
        return raw;
    const JsonScan scan = scan_json(rest);
    return scan.good() ? rest.substr(0, scan.end) : std::string_view{};
}

}  // namespace

struct JsonReader::Parser {
    simdjson::error_code split(std::string_view record, std::size_t readable,
                               std::vector<JsonField>& fields, std::deque<std::string>& texts);
    od::parser parser{};
};

simdjson::error_code JsonReader::Parser::split(std::string_view record, std::size_t readable,
                                               std::vector<JsonField>& fields,
                                               std::deque<std::string>& texts) {
    od::document document;
    od::object object;
    const simdjson::padded_string_view padded{record.data(), record.size(),
                                              record.size() + readable};
    if (const auto error = parser.iterate(padded).get(document)) return error;
    if (const auto error = document.get_object().get(object)) return error;
    for (auto result : object) {
        od::field field;
        if (const auto error = std::move(result).get(field)) return error;
        const char* name = field.key().raw();
        const auto from = static_cast<std::size_t>(name - record.data());
        const std::size_t quote = record.find('"', from);
        if (quote == std::string_view::npos) return simdjson::STRING_ERROR;
        JsonField& made = fields.emplace_back();
        made.name = record.substr(from, quote - from);
        if (made.name.find('\\') != std::string_view::npos) {
            const JsonScan scan = scan_json(record.substr(from - 1));
            if (!scan.good()) return simdjson::STRING_ERROR;
            const Unescaped text = unescape(record.substr(from - 1, scan.end), texts);
            if (!text.good) return simdjson::STRING_ERROR;
            made.name = text.text;
        }
        od::value value = field.value();
        const std::string_view raw = value.raw_json_token();
        made.token =
            whole_token(raw, record.substr(static_cast<std::size_t>(raw.data() - record.data())));
        const auto kind = kind_of(made.token);
        if (!kind) return simdjson::TAPE_ERROR;
        made.kind = *kind;
        // A text that nobody takes is passed over together with a colon after it, as if it were a name.
        if (*kind == JsonKind::text && value.get_raw_json_string().error())
            return simdjson::STRING_ERROR;
    }
    // At the end there is no location.
    return document.current_location().error() ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

JsonReader::JsonReader() : parser_{std::make_unique<Parser>()} {}
JsonReader::~JsonReader() = default;

std::string JsonReader::split(std::string_view record, std::size_t readable,
                              std::vector<JsonField>& fields, std::deque<std::string>& texts) {
    fields.clear();
    const std::size_t first = record.find_first_not_of(spaces);
    if (first == std::string_view::npos || record[first] != '{') {
        const JsonScan scan = scan_whole_json(record);
        if (!scan.good()) return explain(record, simdjson::TAPE_ERROR);
        return "is no JSON object";
    }
    if (readable < simdjson::SIMDJSON_PADDING) {
        std::string& copy = texts.emplace_back();
        copy.reserve(record.size() + simdjson::SIMDJSON_PADDING);
        copy.append(record).append(simdjson::SIMDJSON_PADDING, ' ');
        record = std::string_view{copy}.substr(0, record.size());
        readable = simdjson::SIMDJSON_PADDING;
    }
    const auto error = parser_->split(record, readable, fields, texts);
    return error ? explain(record, error) : std::string{};
}

Unescaped unescape(std::string_view token, std::deque<std::string>& texts) {
    std::string_view text = token.substr(1, token.size() - 2);
    if (text.find('\\') == std::string_view::npos) return {text};
    std::string& out = texts.emplace_back();
    out.reserve(text.size());
    for (;;) {
        const std::size_t slash = text.find('\\');
        out.append(text.substr(0, slash));
        if (slash == std::string_view::npos) return {out};
        const char escape = text[slash + 1];
        text.remove_prefix(slash + 2);
        if (escape != 'u') out += plain_escape(escape);
        else if (!take_unicode(text, out)) return {{}, false};
    }
}

bool is_utf8(std::string_view text) noexcept {
    return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace tool::load
