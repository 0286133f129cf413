// SPDX-License-Identifier: Apache-2.0
#include "screen.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "text/duration_text.hpp"
#include "text/thousands.hpp"

namespace demo {

using tool::thousands;

namespace {

constexpr std::size_t width = 100;
constexpr const char* heading = "  loader                lost   doubled    rejected    faults met  "
                                "  locks    kills        time";

class Paint {
public:
    explicit Paint(Colours colours) noexcept : colours_{colours} {}
    [[nodiscard]] std::string good(const std::string& text) const { return in("32", text); }
    [[nodiscard]] std::string bad(const std::string& text) const { return in("31", text); }
    [[nodiscard]] std::string strong(const std::string& text) const { return in("1", text); }

private:
    [[nodiscard]] std::string in(const char* code, const std::string& text) const {
        if (colours_ == Colours::none) return text;
        return std::string{"\033["} + code + 'm' + text + "\033[0m";
    }
    Colours colours_;
};

std::string right(std::string text, std::size_t columns) {
    if (text.size() < columns) text.insert(0, columns - text.size(), ' ');
    return text;
}

std::string left(std::string text, std::size_t columns) {
    if (text.size() < columns) text.append(columns - text.size(), ' ');
    return text;
}

// Words that do not fit go to a further line, set in.
std::string folded(const std::string& text) {
    std::string all;
    std::string line = "  ";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (line.size() + 1 + end - at > width) {
            all += line + '\n';
            line = "  ";
        }
        line += (line.size() > 2 ? " " : "") + text.substr(at, end - at);
        at = end + 1;
    }
    return all + line + '\n';
}

std::string row(const Demonstration& all, const Outcome& one, const Paint& paint) {
    const auto count = [&](std::uint64_t number, std::size_t columns) {
        const std::string text = right(thousands(number), columns);
        return number == 0 ? paint.good(text) : paint.bad(text);
    };
    const std::uint64_t broken = all.source.broken_lines.size();
    const std::string rejected =
        right(thousands(one.rejected.right) + " of " + thousands(broken), 12);
    return "  " + left(one.trial.name, 16) + count(one.table.lost, 10) +
           count(one.table.doubled, 10) +
           (one.rejected.right == broken && one.rejected.wrong == 0 ? paint.good(rejected)
                                                                    : paint.bad(rejected)) +
           right(thousands(one.faults), 14) + right(thousands(one.trial.locks), 9) +
           right(std::to_string(one.trial.kills.size()), 9) +
           right(tool::in_words(one.trial.elapsed), 12) + '\n';
}

std::string megabytes(std::uint64_t bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text.data();
}

std::string attempted(const Demonstration& all) {
    const Trial& naive = all.naive.trial;
    const Trial& perdure = all.perdure.trial;
    return "  orders   " + thousands(all.source.orders) + " in a file of JSON lines (" +
           megabytes(all.source.bytes) + "), and " +
           std::to_string(all.source.broken_lines.size()) + " broken lines among them\n" +
           "  faults   " + std::to_string(std::lround(all.faults * 100)) +
           " % of all calls to the database: not done, or done and the answer lost, or left "
           "open\n" +
           "  locks    a second process takes the write lock now and then, for up to " +
           tool::in_words(std::max(naive.longest_lock, perdure.longest_lock)) + "\n" +
           "  kills    SIGKILL at 50 % and at 80 % of the rows; then started again\n";
}

}  // namespace

std::string as_screen(const Demonstration& all, Colours colours) {
    const Paint paint{colours};
    std::string text =
        paint.strong("The same file, loaded twice into SQLite under the same bad luck") +
        " (seed " + std::to_string(all.seed) + ")\n\n";
    text += attempted(all) + '\n';
    text += paint.strong(heading) + '\n';
    text += row(all, all.naive, paint) + row(all, all.perdure, paint) + '\n';
    const std::string verdict = folded(perdure_verdict(all));
    text += perdure_kept_its_word(all) ? paint.good(verdict) : paint.bad(verdict);
    text += folded(naive_verdict(all)) + '\n';
    text += "  report   " + all.report + '\n';
    text += "  files    " + all.folder + ": the orders, both databases, every log\n";
    return text;
}

StatusLine::StatusLine() : seen_by_somebody_{isatty(STDERR_FILENO) == 1} {}

StatusLine::~StatusLine() {
    if (!shown_.empty()) std::fputs("\r\033[K", stderr);
}

void StatusLine::show(const std::string& text) {
    if (!seen_by_somebody_ || text == shown_) return;
    shown_ = text;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
}

}  // namespace demo
