// SPDX-License-Identifier: Apache-2.0
#include "tune/latency_fields.hpp"

#include <algorithm>
#include <cctype>

#include "tune/latency_value.hpp"

namespace tool {

namespace {

constexpr std::array<std::string_view, 12> latency_words{
    "latency",    "duration",     "elapsed", "rt",  "response_time", "responsetime",
    "time_taken", "request_time", "took",    "rtt", "service_time",  "total_time"};
constexpr std::array<std::string_view, 7> time_words{
    "time", "timestamp", "ts", "@timestamp", "start_time", "date", "datetime"};

std::string lowered(std::string_view name) {
    std::string text{name};
    std::ranges::transform(text, text.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return text;
}

// Bytes of the whole character at the front of the text that may be shown; 0: there is none.
std::size_t shown_bytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return byte(0) >= ' ' && byte(0) != 0x7f ? 1 : 0;
    const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;  // more control characters
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 60;
    constexpr const char* digits = "0123456789abcdef";
    std::string shown;
    while (!text.empty() && shown.size() < longest) {
        const std::size_t bytes = shown_bytes(text);
        const auto code = static_cast<unsigned char>(text.front());
        if (bytes > 0) shown += text.substr(0, bytes);
        else (shown += "\\x").append({digits[code / 16], digits[code % 16]});
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return text.empty() ? shown : shown + "…";
}

bool looks_like_latency(std::string_view name) {
    const std::string text = lowered(name);
    return std::ranges::any_of(latency_words, [&](std::string_view word) {
        if (!text.starts_with(word)) return false;
        std::string_view rest{text};
        rest.remove_prefix(word.size());
        while (!rest.empty() &&
               std::string_view{"_- (."}.find(rest.front()) != std::string_view::npos)
            rest.remove_prefix(1);
        while (rest.ends_with(')')) rest.remove_suffix(1);
        return rest.empty() || unit_named(rest);
    });
}

bool looks_like_time(std::string_view name) {
    return std::ranges::find(time_words, lowered(name)) != time_words.end();
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
        text += (i == 0 ? "" : ", ") + printable(names[i]);
    return names.size() > shown ? text + ", …" : text;
}

Fail no_such_field(std::string_view wanted, const std::vector<std::string>& names) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .message = "there is no '" + std::string{wanted} +
                            "'; the first line has: " + listed(names)});
}

Result<std::unique_ptr<FieldPicker>> fields_of(std::string_view first_line,
                                               const FieldNames& names) {
    return trimmed(first_line).starts_with('{') ? json_fields(first_line, names)
                                                : csv_fields(first_line, names);
}

}  // namespace tool
