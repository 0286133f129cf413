// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "place.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

// A device or the wrong file must not fill the memory.
constexpr std::size_t most_bytes = 1 << 20;

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blank = " \t\r";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// Quotes keep blanks and number signs; backslashes are as in the server's own reading.
std::string value_of(std::string_view text) {
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
        text.back() == text.front()) {
        text = text.substr(1, text.size() - 2);
    } else {
        text = trimmed(text.substr(0, text.find(" #")));
    }
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        constexpr std::string_view escapes = "ntrbs\\\"'";
        constexpr std::string_view meant = "\n\t\r\b \\\"'";
        const std::size_t which = text[i] == '\\' && i + 1 < text.size() ? escapes.find(text[i + 1])
                                                                         : std::string_view::npos;
        if (which == std::string_view::npos) {
            value += text[i];
        } else {
            value += meant[which];
            ++i;
        }
    }
    return value;
}

bool is_ours(std::string_view group) noexcept {
    return group == "client" || group == "client-server" || group == "client-mariadb";
}

}  // namespace

Settings read_option_text(std::string_view text) {
    Settings settings;
    bool ours = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.front() == ';' || line.front() == '!')
            continue;
        if (line.front() == '[') {
            ours = is_ours(trimmed(line.substr(1, line.find(']') - 1)));
        } else if (const std::size_t equals = line.find('=');
                   ours && equals != std::string_view::npos) {
            std::string name{trimmed(line.substr(0, equals))};
            for (char& c : name)
                if (c == '_') c = '-';
            settings[std::move(name)] = value_of(trimmed(line.substr(equals + 1)));
        }
    }
    return settings;
}

Result<Settings> read_option_file(const std::string& path) {
    if (path.empty()) return Settings{};
    std::ifstream file{path};
    if (!file)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "defaults-file",
                     .message = "the option file " + path + " cannot be read"});
    std::string text(most_bytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > most_bytes)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "defaults-file",
                     .message = "the option file " + path + " has more than 1 MiB"});
    return read_option_text(text);
}

Settings environment() {
    Settings settings;
    // getenv() is not used: another thread may change the answer while it is looked at.
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        const std::size_t equals = text.find('=');
        if (text.starts_with("MYSQL_") && equals != std::string_view::npos)
            settings.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return settings;
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
