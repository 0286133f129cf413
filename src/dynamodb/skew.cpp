// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/skew.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr Duration tolerated = 4min;
// Two of them still have a difference that a Duration can hold.
constexpr Duration century = std::chrono::years{100};

}  // namespace

bool is_skew(std::string_view code, Duration used, Duration measured) noexcept {
    constexpr std::array<std::string_view, 5> codes = {
        "InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure", "RequestTimeTooSkewed",
        "AccessDeniedException"};
    const bool named = std::find(codes.begin(), codes.end(), code) != codes.end();
    const Duration apart =
        std::clamp(used, -century, century) - std::clamp(measured, -century, century);
    return named && (apart > tolerated || apart < -tolerated);
}

bool CallSkew::heard(std::string_view code, const http::Headers& headers, WallTime sent,
                     WallTime received) {
    const auto measured = http::measured_skew(headers, sent, received);
    if (!measured) return false;
    told_ = *measured;
    if (!client_.may_follow(*measured)) return false;
    const bool skewed = is_skew(code, used_, *measured);
    used_ = *measured;
    measured_ = true;
    return skewed;
}

void ClockSkew::tell(Duration skew) noexcept {
    told_.store(std::clamp(skew, -http::most_skew, http::most_skew).count(),
                std::memory_order_relaxed);
}

void CallSkew::keep() noexcept {
    if (told_) client_.tell(*told_);
    if (measured_) client_.set(used_);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
