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

}  // namespace

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
        text += (i == 0 ? "" : ", ") + names[i];
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
