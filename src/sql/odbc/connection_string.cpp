// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/connection_string.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Fail refuse(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "connection-string",
                 .message = std::move(message)});
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// What stands in braces is taken as it is, and }} means }.
Result<std::string> braced(std::string_view& rest) {
    std::string value;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '}') {
            if (i + 1 >= rest.size() || rest[i + 1] != '}') {
                rest.remove_prefix(i + 1);
                return value;
            }
            ++i;
        }
        value += rest[i];
    }
    return refuse("the connection string has a { without its }");
}

Result<std::string> value_of(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty() || rest.front() != '{') {
        std::string value{trimmed(rest.substr(0, rest.find(';')))};
        rest.remove_prefix(std::min(rest.find(';'), rest.size()));
        return value;
    }
    PERDURE_TRY_VALUE(std::string value, braced(rest));
    if (const auto more = trimmed(rest.substr(0, rest.find(';'))); !more.empty())
        return refuse("the connection string has text after a closing }");
    rest.remove_prefix(std::min(rest.find(';'), rest.size()));
    return value;
}

Result<Pairs> pairs_of(std::string_view rest) {
    Pairs pairs;
    while (!trimmed(rest).empty()) {
        if (rest.front() == ';') {
            rest.remove_prefix(1);
            continue;
        }
        const std::size_t equals = rest.find('=');
        // Only the keyword is quoted: what stands after it may be a password.
        if (equals == std::string_view::npos || rest.find(';') < equals)
            return refuse("the connection string has a part without '='; "
                          "the name of a data source is written DSN=name");
        const std::string keyword{trimmed(rest.substr(0, equals))};
        if (keyword.empty()) return refuse("the connection string has a value without a keyword");
        rest.remove_prefix(equals + 1);
        PERDURE_TRY_VALUE(std::string value, value_of(rest));
        pairs.emplace_back(keyword, std::move(value));
    }
    return pairs;
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) return refuse("the URL has a % without two hexadecimal digits");
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

// user:password@ of a URL, which is cut off.
Result<void> take_user(std::string_view& place, Pairs& pairs) {
    const std::size_t at = place.rfind('@');
    if (at == std::string_view::npos) return {};
    const std::string_view user = place.substr(0, at);
    place.remove_prefix(at + 1);
    const std::size_t colon = user.find(':');
    PERDURE_TRY_VALUE(std::string name, decoded(user.substr(0, colon)));
    pairs.emplace_back("UID", std::move(name));
    if (colon == std::string_view::npos) return {};
    PERDURE_TRY_VALUE(std::string password, decoded(user.substr(colon + 1)));
    pairs.emplace_back("PWD", std::move(password));
    return {};
}

Result<Pairs> pairs_of_url(std::string_view rest) {
    Pairs pairs;
    const std::size_t mark = rest.find('?');
    std::string_view place = rest.substr(0, mark);
    rest = mark == std::string_view::npos ? std::string_view{} : rest.substr(mark + 1);
    PERDURE_TRY(take_user(place, pairs));
    if (place.ends_with('/')) place.remove_suffix(1);
    PERDURE_TRY_VALUE(std::string source, decoded(place));
    if (!source.empty()) pairs.emplace(pairs.begin(), "DSN", std::move(source));
    while (!rest.empty()) {
        const std::string_view part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return refuse("the URL has an option without a name or without '='");
        PERDURE_TRY_VALUE(std::string key, decoded(part.substr(0, equals)));
        PERDURE_TRY_VALUE(std::string value, decoded(part.substr(equals + 1)));
        pairs.emplace_back(std::move(key), std::move(value));
    }
    return pairs;
}

}  // namespace

Result<ConnectionString> ConnectionString::parse(std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        return refuse("the connection string contains a NUL byte");
    ConnectionString parsed;
    const bool is_url = same(text.substr(0, 7), "odbc://");
    if (!is_url && same(text.substr(0, 5), "odbc:")) text.remove_prefix(5);
    PERDURE_TRY_VALUE(parsed.pairs_, is_url ? pairs_of_url(text.substr(7)) : pairs_of(text));
    if (!parsed.find("DSN") && !parsed.find("Driver") && !parsed.find("FileDSN"))
        return refuse("the connection string names neither a data source (DSN=name) nor a driver "
                      "(Driver=name)");
    return parsed;
}

const std::string* ConnectionString::find(std::string_view keyword) const noexcept {
    for (const auto& [key, value] : pairs_)
        if (same(key, keyword)) return &value;
    return nullptr;
}

void ConnectionString::set(std::string_view keyword, std::string value) {
    for (auto& [key, old] : pairs_) {
        if (!same(key, keyword)) continue;
        old = std::move(value);
        return;
    }
    pairs_.emplace_back(keyword, std::move(value));
}

std::string ConnectionString::text() const {
    std::string out;
    for (const auto& [key, value] : pairs_) {
        out += key + '=';
        const bool plain = value.find_first_of("[]{}(),;?*=!@ \t") == std::string::npos;
        if (plain) {
            out += value + ';';
            continue;
        }
        out += '{';
        for (const char c : value) out.append(c == '}' ? 2 : 1, c);
        out += "};";
    }
    return out;
}

std::string ConnectionString::name() const {
    std::string out = "odbc ";
    const auto first_of = [&](std::initializer_list<std::string_view> keywords) {
        for (const auto keyword : keywords)
            if (const std::string* value = find(keyword)) return *value;
        return std::string{};
    };
    out += first_of({"DSN", "FileDSN", "Server", "Servername", "Driver"});
    if (const std::string database = first_of({"Database", "DBQ"}); !database.empty())
        out += '/' + database;
    return out;
}

std::string environment(std::string_view name) {
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=')
            return std::string{text.substr(name.size() + 1)};
    }
    return {};
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
