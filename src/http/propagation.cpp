// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/propagation.hpp"

#include <algorithm>
#include <charconv>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

using std::chrono::milliseconds;

// Longer than anybody waits for an answer, and short enough that no sum with it overflows.
constexpr Duration longest_timeout = 24h;

std::optional<Duration> milliseconds_in(std::string_view value) {
    if (value.empty()) return std::nullopt;
    constexpr auto most = std::chrono::duration_cast<milliseconds>(longest_timeout);
    milliseconds time{};
    for (const char digit : value) {
        if (digit < '0' || digit > '9') return std::nullopt;
        time = std::min(most, time * 10 + 1ms * (digit - '0'));
    }
    return time;
}

}  // namespace

Inherited parse_inherited(const Headers& headers) {
    Inherited inherited;
    for (const auto& [name, value] : headers.all(timeout_header))
        if (const auto timeout = milliseconds_in(value))
            inherited.timeout = std::min(*timeout, inherited.timeout.value_or(never));
    if (headers.has(retries_header, "owner")) inherited.retries = Retries::callers;
    return inherited;
}

Deadline deadline_of(const Inherited& inherited, TimePoint now, Duration own_limit) noexcept {
    return Deadline::in(std::min(own_limit, inherited.timeout.value_or(never)), now);
}

Attempt attempt_of(const Inherited& inherited, const Clock& clock, Duration own_limit) noexcept {
    const Deadline deadline = deadline_of(inherited, clock.now(), own_limit);
    return {.deadline = deadline, .call_deadline = deadline, .clock = &clock};
}

Propagated::Propagated(Duration time_left, Retries retries, Duration way) noexcept {
    if (time_left != never) {
        const Duration told = std::clamp(time_left - way, Duration::zero(), longest_timeout);
        const auto [end, error] =
            std::to_chars(digits_.data(), digits_.data() + digits_.size(),
                          std::chrono::duration_cast<milliseconds>(told).count());
        headers_[count_++] = {timeout_header, {digits_.data(), end}};
    }
    if (retries == Retries::callers) headers_[count_++] = {retries_header, "owner"};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
