// SPDX-License-Identifier: Apache-2.0
#include "load/dynamodb_url.hpp"

#include <algorithm>
#include <optional>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::string_view scheme = "dynamodb:";
constexpr std::size_t shortest_table = 3;
constexpr std::size_t longest_table = 255;

Fail wrong(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "target",
                 .message = std::move(message)});
}

std::optional<int> hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

Result<std::string> unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
        if (!low) return wrong("in the target's URL '%' is not followed by two hexadecimal digits");
        plain += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return plain;
}

bool is_table_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

Result<void> set(DynamoUrl& url, std::string_view name, std::string value) {
    std::string* const into = name == "region"     ? &url.region
                              : name == "endpoint" ? &url.endpoint
                              : name == "profile"  ? &url.profile
                                                   : nullptr;
    if (!into)
        return wrong("dynamodb:// takes region, endpoint and profile, not '" + std::string{name} +
                     "'");
    if (value.empty()) return wrong("in the target's URL '" + std::string{name} + "' is empty");
    if (!into->empty())
        return wrong("in the target's URL '" + std::string{name} + "' is there twice");
    *into = std::move(value);
    return {};
}

Result<void> read_parameters(std::string_view text, DynamoUrl& url) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = std::min(one.find('='), one.size());
        PERDURE_TRY_VALUE(std::string value,
                          unescaped(equals < one.size() ? one.substr(equals + 1) : ""));
        PERDURE_TRY(set(url, one.substr(0, equals), std::move(value)));
    }
    return {};
}

}  // namespace

bool is_dynamodb_url(std::string_view url) noexcept { return url.starts_with(scheme); }

Result<DynamoUrl> parse_dynamodb_url(std::string_view url) {
    if (!url.starts_with("dynamodb://"))
        return wrong("a table of DynamoDB is written dynamodb://TABLE?region=REGION");
    std::string_view rest = url.substr(std::string_view{"dynamodb://"}.size());
    const std::size_t question = std::min(rest.find('?'), rest.size());
    std::string_view table = rest.substr(0, question);
    if (table.ends_with('/')) table.remove_suffix(1);
    if (table.find('@') != std::string_view::npos)
        return wrong("keys do not belong into the target's URL: they are taken from the "
                     "environment or a profile");
    DynamoUrl made;
    if (question < rest.size()) PERDURE_TRY(read_parameters(rest.substr(question + 1), made));
    if (!table.empty() && (table.size() < shortest_table || table.size() > longest_table ||
                           !std::ranges::all_of(table, is_table_letter)))
        return wrong(
            "a table of DynamoDB has a name of 3 to 255 letters, digits, '_', '-' and '.'");
    made.table = table;
    return made;
}

}  // namespace tool::load
