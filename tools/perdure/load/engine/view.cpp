// SPDX-License-Identifier: Apache-2.0
#include "load/engine/view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <unistd.h>

#include "text/output.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Twice a second is quick for an eye and nothing for a terminal; a log wants less.
constexpr Duration redraw_every = 500ms;
constexpr Duration line_every = 5s;

std::string span_in_words(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 120) return std::to_string(whole) + " s";
    if (whole < 7200) return std::to_string(whole / 60) + " min";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string in_words(const Moment& moment) {
    std::string line;
    const auto part = [&](const std::string& words) {
        if (!line.empty()) line += " · ";
        line += words;
    };
    if (moment.share >= 0)
        part(std::to_string(static_cast<int>(std::floor(moment.share * 100))) + "%");
    part(thousands(moment.done) + " done");
    if (moment.earlier > 0) part(thousands(moment.earlier) + " earlier");
    part(thousands(static_cast<std::uint64_t>(moment.per_second)) + "/s");
    if (moment.rejected > 0) part(thousands(moment.rejected) + " rejected");
    part(thousands(moment.target.retries) + " retries");
    part(thousands(moment.target.throttled) + " throttled");
    part(thousands(moment.target.unknown) + " unknown");
    part("budget " + std::to_string(static_cast<int>(moment.target.budget)));
    if (moment.seconds_left >= 0) part(span_in_words(moment.seconds_left) + " left");
    return line;
}

View::View(const Tally& tally, const Target& target, Showing showing, Clock& clock)
    : tally_{tally},
      target_{target},
      showing_{showing},
      clock_{clock},
      shown_{clock.now()},
      rated_{shown_},
      start_{shown_} {}

Moment View::moment() {
    Moment now{.done = tally_.records,
               .earlier = tally_.earlier,
               .rejected = tally_.rejected,
               .workers = tally_.workers,
               .target = target_.counts()};
    const TimePoint at = clock_.now();
    if (const double passed = seconds(at - rated_); passed >= 1) {
        const double latest = static_cast<double>(now.done - rated_records_) / passed;
        rate_ = rate_ == 0 ? latest : 0.7 * rate_ + 0.3 * latest;
        rated_ = at;
        rated_records_ = now.done;
    }
    const double whole = seconds(at - start_);
    now.per_second = rate_ > 0 ? rate_ : whole > 0 ? static_cast<double>(now.done) / whole : 0;
    const std::uint64_t all = tally_.bytes_all;
    if (all == 0) return now;
    now.share = std::min(1.0, static_cast<double>(tally_.bytes_done) / static_cast<double>(all));
    // What earlier runs did was skipped in no time and says nothing about the speed.
    if (start_share_ < 0 && now.done > 0) start_share_ = now.share;
    const double gained = now.share - start_share_;
    if (start_share_ >= 0 && gained > 0.01) now.seconds_left = whole * (1 - now.share) / gained;
    return now;
}

void View::show() {
    const TimePoint at = clock_.now();
    if (at - shown_ < (showing_ == Showing::overwriting ? redraw_every : line_every)) return;
    shown_ = at;
    if (showing_ == Showing::lines) return say(in_words(moment()));
    const std::string line = "\r\033[K" + in_words(moment());
    drawn_ = write(STDERR_FILENO, line.data(), line.size()) > 0;
}

void View::end() {
    constexpr std::string_view clear = "\r\033[K";
    if (drawn_) drawn_ = write(STDERR_FILENO, clear.data(), clear.size()) < 0;
}

}  // namespace tool::load
