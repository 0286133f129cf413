// SPDX-License-Identifier: Apache-2.0
//
// One line on standard error that says what a load is doing: on a terminal it is written over and cut
// to the terminal's width, elsewhere it is a line now and then.
//
//     StatusLine line{Showing::overwriting, clock};
//     line.show([&] { return "waiting for " + name; }, 1s);      // from the first second on
//     line.clear();
#pragma once

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "perdure/time/clock.hpp"

namespace tool::load {

enum class Showing : unsigned char { nothing, lines, overwriting };

// At most `columns` characters, with an ellipsis where something was cut off.
[[nodiscard]] std::string cut_to(std::string_view line, std::size_t columns);

// Has a thread of its own, so that the line changes while its owner waits for a database. Called by
// one thread; `words` are called by the line's own.
class StatusLine {
public:
    using Words = std::function<std::string()>;  // empty: nothing to say now

    StatusLine(Showing showing, perdure::Clock& clock);
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;
    ~StatusLine();

    // What is said from now on, the first time after `first`.
    void show(Words words, perdure::Duration first);
    // Says nothing, and leaves an empty line on a terminal. The last words are not called afterwards.
    void clear();

private:
    void draw_until(const std::stop_token& stop);
    void draw_if_due();
    void erase();

    const Showing showing_;
    perdure::Clock& clock_;
    std::mutex mutex_;
    Words words_;
    perdure::TimePoint due_{};
    bool drawn_ = false;
    std::stop_source stop_;
    std::jthread thread_;
};

}  // namespace tool::load
