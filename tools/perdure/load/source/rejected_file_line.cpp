// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "load/source/json_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/reading_wrapped.hpp"
#include "load/source/rejected_file.hpp"
#include "text/json_text.hpp"

namespace tool::load {

namespace {

std::string base64(std::string_view bytes) {
    static constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::string_view three = bytes.substr(i, 3);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8u | (j < three.size() ? static_cast<unsigned char>(three[j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            out += j <= three.size() ? letters[bits >> (18u - 6u * j) & 63u] : '=';
    }
    return out;
}

bool is_object(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{' && scan_whole_json(text).good() &&
           is_utf8(text);
}

struct Kept {
    std::string line{};    // of a side file, which stays as it is
    std::string object{};  // empty: it is none
    std::string text{};
    std::string header{};  // of CSV that is kept as text
    bool from_csv = false;
    bool cut = false;
};

Kept unwrapped(const KeptRejection& rejection) {
    Kept kept{.text = rejection.record,
              .from_csv = rejection.format == Format::csv,
              .cut = rejection.reason == too_long_reason};
    if (kept.cut) return kept;
    if (kept.from_csv) {
        kept.object = csv_as_object(rejection.header, rejection.record);
        if (kept.object.empty()) kept.header = rejection.header;
        return kept;
    }
    if (!is_object(rejection.record)) return kept;
    kept.object = rejection.record;
    // Line ends can stand between values only, and would end our line.
    std::ranges::replace(kept.object, '\n', ' ');
    // A line of a side file that was rejected again is not wrapped twice.
    JsonReader reader;
    std::vector<JsonField> fields;
    std::deque<std::string> texts;
    if (!reader.split(rejection.record, 0, fields, texts).empty() || fields.empty() ||
        fields.front().name != wrapper_name)
        return kept;
    const Unwrapped within = unwrap(fields, reader, texts);
    if (!within.wrong.empty()) {
        kept.line = kept.object + '\n';
        return kept;
    }
    kept.text = within.record;
    kept.object = is_object(within.record) ? kept.text : std::string{};
    std::ranges::replace(kept.object, '\n', ' ');
    kept.from_csv = within.from_csv;
    return kept;
}

}  // namespace

std::string rejected_line(const std::string& file, const KeptRejection& rejection) {
    const Kept kept = unwrapped(rejection);
    if (!kept.line.empty()) return kept.line;
    std::string about = "{\"file\":" + json_text(file) +
                        ",\"line\":" + std::to_string(rejection.line) +
                        ",\"reason\":" + json_text(rejection.reason);
    if (kept.from_csv) about += ",\"from\":\"csv\"";
    if (!kept.header.empty()) about += ",\"header\":" + json_text(kept.header);
    if (kept.cut) about += ",\"cut\":true";
    JsonLine line;
    line.raw(wrapper_name, about + '}');
    if (!kept.object.empty()) return std::move(line.raw("record", kept.object)).end();
    line.text("text", kept.text);
    if (!is_utf8(kept.text)) line.text("bytes", base64(kept.text));
    return std::move(line).end();
}

}  // namespace tool::load
