// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/skew.hpp"

#include <algorithm>
#include <array>

#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr Duration longest_round_trip = 15min;
constexpr Duration tolerated = 4min;
// Two of them still have a difference that a Duration can hold.
constexpr Duration century = std::chrono::years{100};

// A server may name any year, and nanoseconds have no room for all differences.
Duration between(WallTime from, WallTime to) noexcept {
    using std::chrono::floor, std::chrono::seconds;
    constexpr auto most = floor<seconds>(century);
    const seconds coarse = floor<seconds>(to) - floor<seconds>(from);
    if (coarse >= most) return century;
    if (coarse <= -most) return -century;
    return to - from;
}

}  // namespace

std::optional<Duration> measured_skew(const http::Headers& headers, WallTime sent,
                                      WallTime received) {
    const Duration round_trip = between(sent, received);
    if (round_trip < 0ns || round_trip > longest_round_trip) return std::nullopt;
    const auto date = headers.find("date");
    if (!date || headers.find("age")) return std::nullopt;
    const auto theirs = http::parse_http_date(*date, received);
    if (!theirs) return std::nullopt;
    return between(sent + round_trip / 2, *theirs);
}

bool is_skew(std::string_view code, Duration used, Duration measured) noexcept {
    constexpr std::array<std::string_view, 5> codes = {
        "InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure", "RequestTimeTooSkewed",
        "AccessDeniedException"};
    const bool named = std::find(codes.begin(), codes.end(), code) != codes.end();
    const Duration apart =
        std::clamp(used, -century, century) - std::clamp(measured, -century, century);
    return named && (apart > tolerated || apart < -tolerated);
}

WallTime corrected(WallTime now, Duration skew) noexcept {
    if (skew > 0ns && now > WallTime::max() - skew) return WallTime::max();
    if (skew < 0ns && now < WallTime::min() - skew) return WallTime::min();
    return now + skew;
}

bool CallSkew::heard(std::string_view code, const http::Headers& headers, WallTime sent,
                     WallTime received) {
    const auto measured = measured_skew(headers, sent, received);
    if (!measured) return false;
    const bool skewed = is_skew(code, used_, *measured);
    used_ = *measured;
    measured_ = true;
    return skewed;
}

void CallSkew::keep() noexcept {
    if (measured_) client_.set(used_);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
