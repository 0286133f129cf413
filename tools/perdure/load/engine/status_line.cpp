// SPDX-License-Identifier: Apache-2.0
#include "load/engine/status_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "perdure/time/start_thread.hpp"
#include "text/output.hpp"
#include "text/visible.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Twice a second is quick for an eye and nothing for a terminal; a log wants less.
constexpr Duration redraw_every = 500ms;
constexpr Duration line_every = 5s;
constexpr Duration look_every = 100ms;
constexpr std::size_t usual_columns = 80;
constexpr std::string_view clear_line = "\r\033[K";

std::size_t terminal_columns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
    return size.ws_col;
}

bool begins_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }

}  // namespace

std::string cut_to(std::string_view line, std::size_t columns) {
    std::size_t characters = 0;
    std::size_t keep = 0;  // bytes of the first columns - 1 characters
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (!begins_character(line[i])) continue;
        if (++characters == columns) keep = i;
        if (characters > columns) return std::string{line.substr(0, keep)} + "…";
    }
    return std::string{line};
}

StatusLine::StatusLine(Showing showing, Clock& clock) : showing_{showing}, clock_{clock} {
    if (showing_ == Showing::nothing) return;
    // Without a thread there is no line; the load itself goes on.
    if (auto started = start_thread([this] { draw_until(stop_.get_token()); }))
        thread_ = *std::move(started);
}

StatusLine::~StatusLine() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
    erase();
}

void StatusLine::show(Words words, Duration first) {
    const std::lock_guard lock{mutex_};
    words_ = std::move(words);
    due_ = after(clock_.now(), first);
}

void StatusLine::clear() {
    const std::lock_guard lock{mutex_};
    words_ = nullptr;
    erase();
}

void StatusLine::erase() {
    if (drawn_) drawn_ = ::write(STDERR_FILENO, clear_line.data(), clear_line.size()) < 0;
}

void StatusLine::draw_until(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        draw_if_due();
        clock_.sleep_until(after(clock_.now(), look_every), stop);
    }
}

void StatusLine::draw_if_due() {
    const std::lock_guard lock{mutex_};
    if (!words_ || clock_.now() < due_) return;
    std::string words = words_();
    if (words.empty()) return;
    due_ = after(clock_.now(), showing_ == Showing::lines ? line_every : redraw_every);
    if (showing_ == Showing::lines) return say(words);
    words = visible(words);
    std::ranges::replace(words, '\n', ' ');
    // One column less: some terminals wrap when the last one is written.
    const std::string line = std::string{clear_line} + cut_to(words, terminal_columns() - 1);
    drawn_ = ::write(STDERR_FILENO, line.data(), line.size()) > 0;
}

}  // namespace tool::load
