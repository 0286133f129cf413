// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

std::string span_in_words(double seconds) {
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 120) return std::to_string(whole) + " s";
    if (whole < 7200) return std::to_string(whole / 60) + " min";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

// "186k", "9,400"
std::string short_number(double number) {
    constexpr double shortened_from = 10'000;
    const auto whole = static_cast<std::uint64_t>(number);
    return number < shortened_from ? thousands(whole) : thousands(whole / 1000) + "k";
}

constexpr Duration notable_wait = 1s;

std::string checking_words(const Tally& tally) {
    const std::uint64_t all = tally.bytes_to_check;
    const std::uint64_t checked = tally.bytes_checked;
    return "comparing what was loaded before with the input: " + thousands(checked >> 20u) +
           (all > 0 ? " of " + thousands(std::max(all, checked) >> 20u) : std::string{}) + " MiB";
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string in_words(const Moment& moment) {
    std::string line;
    const auto part = [&](const std::string& words) {
        if (!line.empty()) line += " · ";
        line += words;
    };
    const auto trouble = [&](std::uint64_t number, const char* what) {
        if (number > 0) part(thousands(number) + what);
    };
    if (moment.share >= 0)
        part(std::to_string(static_cast<int>(std::floor(moment.share * 100))) + " %");
    part(thousands(moment.done) + (moment.done == 1 ? " row" : " rows"));
    part(short_number(moment.per_second) + "/s");
    if (moment.seconds_left >= 0 && moment.waiting.empty())
        part(span_in_words(moment.seconds_left) + " left");
    if (!moment.waiting.empty()) part(moment.waiting);
    trouble(moment.rejected, " rejected");
    trouble(moment.target.retries, " retries");
    trouble(moment.target.throttled, " throttled");
    trouble(moment.target.unknown, " unknown");
    trouble(moment.earlier, " earlier");
    return line;
}

std::string waiting_words(std::string_view target, const std::optional<Waiting>& waiting,
                          Duration passed, TimePoint now) {
    std::string line = "waiting";
    const bool named = waiting && waiting->reason.find(target) != std::string::npos;
    if (!named) line += " for " + std::string{target};
    if (!waiting) return line + ", " + span_in_words(seconds(passed));
    line += ", " + span_in_words(seconds(now - waiting->since));
    if (waiting->allowed > Duration{}) line += " of " + span_in_words(seconds(waiting->allowed));
    line += ", attempt " + std::to_string(waiting->attempt);
    return waiting->reason.empty() ? line : line + ": " + waiting->reason;
}

std::string verifying_words(const Tally& tally, Duration passed) {
    const std::uint64_t all = tally.bytes_all;
    const std::uint64_t share =
        all == 0 ? 0 : std::min(all, tally.bytes_verified.load()) * 100 / all;
    return "verifying: " + (all == 0 ? std::string{} : std::to_string(share) + " % of ") +
           "the inputs are read again and compared with the table (" +
           span_in_words(seconds(passed)) + ")";
}

LoadProgress::LoadProgress(const Tally& tally, const Target& target, Clock& clock)
    : tally_{tally}, target_{target}, clock_{clock}, start_{clock.now()}, rated_{start_} {}

Moment LoadProgress::moment() {
    Moment now{.done = tally_.records,
               .earlier = tally_.earlier,
               .rejected = tally_.rejected,
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
    if (start_share_ < 0 && now.done > 0) {
        start_share_ = now.share;
        share_since_ = at;
    }
    const double gained = now.share - start_share_;
    if (start_share_ >= 0 && gained > 0.01)
        now.seconds_left = seconds(at - share_since_) * (1 - now.share) / gained;
    return now;
}

std::string LoadProgress::words() {
    if (tally_.checking) return checking_words(tally_);
    Moment now = moment();
    if (const auto waiting = target_.waiting();
        waiting && clock_.now() - waiting->since > notable_wait)
        now.waiting = waiting_words(target_.name(), waiting, {}, clock_.now());
    // All bytes may have been read by then, and the share stands at 100 %.
    else if (tally_.halving > 0) now.waiting = "halving a refused batch";
    return in_words(now);
}

}  // namespace tool::load
