// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/service_clock.hpp"

#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

constexpr Duration longest_round_trip = 15min;
// Two of them still have a difference that a Duration can hold.
constexpr Duration century = std::chrono::years{100};

}  // namespace

Dates dates_of(const Url& url) {
    return url.secure() || is_loopback_host(url.host) ? Dates::trusted : Dates::untrusted;
}

// Nanoseconds have no room for all differences, so the seconds are looked at first.
Duration time_between(WallTime from, WallTime to) noexcept {
    using std::chrono::floor, std::chrono::seconds;
    constexpr auto most = floor<seconds>(century);
    const seconds coarse = floor<seconds>(to) - floor<seconds>(from);
    if (coarse >= most) return century;
    if (coarse <= -most) return -century;
    return to - from;
}

std::optional<Duration> measured_skew(const Headers& headers, WallTime sent, WallTime received) {
    const Duration round_trip = time_between(sent, received);
    if (round_trip < 0ns || round_trip > longest_round_trip) return std::nullopt;
    const auto date = headers.find("date");
    if (!date || headers.find("age")) return std::nullopt;
    const auto theirs = parse_http_date(*date, received);
    if (!theirs) return std::nullopt;
    return time_between(sent + round_trip / 2, *theirs);
}

bool may_follow(Duration skew, Dates dates) noexcept {
    return dates == Dates::trusted && skew <= most_skew && skew >= -most_skew;
}

WallTime corrected(WallTime now, Duration skew) noexcept {
    if (skew > 0ns && now > WallTime::max() - skew) return WallTime::max();
    if (skew < 0ns && now < WallTime::min() - skew) return WallTime::min();
    return now + skew;
}

std::string unfollowed(const Headers& headers, WallTime now, Dates dates) {
    // As the service wrote it: WallTime ends in 2262. A date that can be read has no control characters.
    const auto date = headers.find("date");
    std::string text = "the service's clock says ";
    text.append(date && parse_http_date(*date, now) ? *date : "nothing");
    text.append(" and this machine's ").append(http_date(now));
    return text + (dates == Dates::trusted
                       ? "; a difference of more than 24 h is not followed"
                       : "; a date over plain HTTP from another machine is not followed");
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
