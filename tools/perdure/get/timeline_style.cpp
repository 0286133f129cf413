// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "get/timeline.hpp"

namespace tool {

namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return value ? value : std::string_view{};
}

bool locale_is_unicode() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view locale = variable(name);
        if (locale.empty()) continue;
        const auto has = [&](std::string_view word) {
            return locale.find(word) != std::string_view::npos;
        };
        return has("UTF-8") || has("utf-8") || has("UTF8") || has("utf8");
    }
    return false;
}

std::size_t columns() {
    std::size_t width = 80;
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    } else {
        const std::string_view told = variable("COLUMNS");
        std::from_chars(told.data(), told.data() + told.size(), width);
    }
    return std::clamp<std::size_t>(width, 40, 200);
}

}  // namespace

TimelineStyle style_of_standard_error() {
    const bool plain =
        isatty(STDERR_FILENO) == 0 || !variable("NO_COLOR").empty() || variable("TERM") == "dumb";
    return {.width = columns(),
            .letters = locale_is_unicode() ? Letters::unicode : Letters::ascii,
            .colour = plain ? Colour::off : Colour::on};
}

}  // namespace tool
