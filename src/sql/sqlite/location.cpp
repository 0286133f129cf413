// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/location.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

#include "perdure/sql/error_table.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

namespace fs = std::filesystem;

Fail refused(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "url",
                 .message = std::move(message)});
}

std::optional<int> digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return {};
}

Result<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? digit(text[i + 2]) : std::nullopt;
        if (!high || !low)
            return refused("a % in the URL is not followed by two hexadecimal digits");
        if (*high == 0 && *low == 0) return refused("the URL names a file with a NUL in it");
        plain += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return plain;
}

std::string encoded(std::string_view path) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (const char c : path) {
        if (c != '%' && c != '?' && c != '#') {
            text += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        text += '%';
        text += digits[byte >> 4u];
        text += digits[byte & 15u];
    }
    return text;
}

Result<void> take_mode(Location& where, std::string_view value) {
    if (value == "ro") where.opening = Opening::read_only;
    else if (value == "rw") where.opening = Opening::read_write;
    else if (value == "rwc") where.opening = Opening::create;
    else if (value == "memory")
        return refused("mode=memory is a database for one session; write :memory:");
    else return refused("the URL's mode must be ro, rw or rwc");
    return {};
}

Result<void> take(Location& where, std::string_view parameter) {
    static constexpr std::array<std::string_view, 4> passed_on{"immutable", "nolock", "psow",
                                                               "vfs"};
    const auto equals = parameter.find('=');
    const std::string_view name = parameter.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : parameter.substr(equals + 1);
    if (name == "mode") return take_mode(where, value);
    if (name == "cache") {
        if (value == "private") return {};
        return refused(
            "the URL asks for a shared cache, whose locks know no waiting; leave cache out");
    }
    if (std::ranges::find(passed_on, name) == passed_on.end())
        return refused("the URL has the unknown parameter '" + std::string{name} +
                       "'; there are mode, immutable, nolock, psow and vfs");
    if (!where.parameters.empty()) where.parameters += '&';
    where.parameters += parameter;
    return {};
}

Result<void> take_all(Location& where, std::string_view query) {
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        if (end > 0) PERDURE_TRY(take(where, query.substr(0, end)));
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return {};
}

// What stands after "file:" or "sqlite:".
Result<std::string> path_of_url(Location& where, std::string_view rest) {
    rest = rest.substr(0, rest.find('#'));
    if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
        PERDURE_TRY(take_all(where, rest.substr(mark + 1)));
        rest = rest.substr(0, mark);
    }
    if (rest.starts_with("//")) {
        rest.remove_prefix(2);
        if (rest.starts_with("localhost/")) rest.remove_prefix(9);
        if (!rest.starts_with('/'))
            return refused("the URL names a host; write sqlite:bank.db or sqlite:///path/bank.db");
    }
    return decoded(rest);
}

std::string seen(const fs::path& path) { return "'" + path.string() + "'"; }

struct Hindrance {
    Cause cause = Cause::unavailable;
    std::string what{};
};

std::optional<Hindrance> hindrance(const std::string& name) {
    std::error_code ignored;
    const fs::path path{name};
    const fs::path folder = path.parent_path();
    if (!fs::exists(folder, ignored))
        return Hindrance{Cause::not_found, "the directory " + seen(folder) + " does not exist"};
    if (!fs::is_directory(folder, ignored))
        return Hindrance{Cause::invalid, seen(folder) + " is not a directory"};
    if (fs::is_directory(path, ignored)) return Hindrance{Cause::invalid, "it is a directory"};
    if (fs::is_symlink(path, ignored) && !fs::exists(path, ignored))
        return Hindrance{Cause::not_found, "it is a link to a file that does not exist"};
    if (fs::exists(path, ignored)) {
        if (::access(name.c_str(), R_OK) != 0)
            return Hindrance{Cause::forbidden, "it may not be read by this user"};
        if (::access(name.c_str(), W_OK) != 0)
            return Hindrance{Cause::forbidden, "it may not be written by this user"};
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return Hindrance{Cause::forbidden, "the directory " + seen(folder) +
                                               " may not be written by this user, and SQLite keeps "
                                               "its journal there"};
    if (!fs::exists(path, ignored)) return Hindrance{Cause::not_found, "it does not exist"};
    return {};
}

}  // namespace

std::string Location::to_open() const {
    return parameters.empty() ? path : "file:" + encoded(path) + "?" + parameters;
}

Result<Location> locate(std::string_view path_or_url) {
    Location where;
    if (path_or_url.find('\0') != std::string_view::npos)
        return refused("the path has a NUL in it");
    const bool file = path_or_url.starts_with("file:");
    const bool url = file || path_or_url.starts_with("sqlite:");
    if (url) path_or_url.remove_prefix(file ? 5 : 7);
    if (path_or_url == ":memory:") {
        where.memory = true;
        where.path = path_or_url;
        return where;
    }
    std::string path{path_or_url};
    if (url) {
        PERDURE_TRY_VALUE(path, path_of_url(where, path_or_url));
    }
    if (path.empty()) return refused("the path of the database is empty");
    std::error_code error;
    where.path = fs::absolute(path, error).string();
    if (error) return refused("the path of the database cannot be made absolute");
    return where;
}

std::string obstacle(const std::string& path) {
    const auto found = hindrance(path);
    return found ? "; " + found->what : std::string{};
}

Failure cannot_open(const Location& where, std::string_view sqlite_says) {
    std::string message = "cannot open " + seen(where.path) + ": ";
    // The table knows only that it could not be opened; some reasons stay however often it is tried.
    if (const auto found = where.memory ? std::nullopt : hindrance(where.path))
        return {.cause = found->cause,
                .effect = Effect::none,
                .code = "14",
                .message = message + found->what};
    return failure_of(row_of(Product::sqlite, "14"), During::connecting,
                      message + std::string{sqlite_says}, "14");
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
