// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/retry_after.hpp"

#include <algorithm>

#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

std::string_view trimmed(std::string_view value) {
    const auto from = value.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return value.substr(from, value.find_last_not_of(" \t") - from + 1);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

Duration from_seconds(std::string_view digits) {
    constexpr auto most = std::chrono::duration_cast<std::chrono::seconds>(longest_retry_after);
    std::chrono::seconds wait{};
    // Stops adding at the limit, so that no number of digits overflows.
    for (const char digit : digits) wait = std::min(most, wait * 10 + 1s * (digit - '0'));
    return wait;
}

Duration from_now(WallTime at, WallTime now) {
    if (at <= now) return Duration::zero();
    // Compared without a sum or a difference that the clock has no room for.
    if (now <= WallTime::max() - longest_retry_after && at >= now + longest_retry_after)
        return longest_retry_after;
    return at - now;
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, WallTime now) {
    value = trimmed(value);
    if (!value.empty() && std::ranges::all_of(value, is_digit)) return from_seconds(value);
    const auto at = parse_http_date(value, now);
    return at ? std::optional{from_now(*at, now)} : std::nullopt;
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
