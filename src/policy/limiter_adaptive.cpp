// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "perdure/policy/adaptive.hpp"
#include "perdure/stats/portable_math.hpp"

namespace perdure {
inline namespace v0 {

namespace adaptive {

namespace {

// By IEEE's exact operations only, so that a simulation is the same everywhere.
double cube_root(double x) noexcept {
    if (!(x > 1e-300)) return 0;
    const double guess = exponential(natural_log(x) / 3);
    return guess - (guess * guess * guess - x) / (3 * guess * guess);
}

}  // namespace

double recovery(double rate_at_throttle) noexcept {
    return cube_root(rate_at_throttle * (1 - after_throttle) / steepness);
}

double rate_after(double rate_at_throttle, double seconds_since_throttle) noexcept {
    const double beyond = seconds_since_throttle - recovery(rate_at_throttle);
    return steepness * beyond * beyond * beyond + rate_at_throttle;
}

}  // namespace adaptive

namespace {

constexpr double slices_per_second = 2;

TimePoint later_by(TimePoint now, double seconds) noexcept {
    const double count = std::ceil(seconds * 1e9);
    constexpr Duration longest = never / 2;
    return after(now, count < static_cast<double>(longest.count())
                          ? Duration{static_cast<Duration::rep>(count)}
                          : longest);
}

}  // namespace

// The first word sets the origin, down to the whole second as the SDKs have it.
double AdaptiveLimiter::seconds(TimePoint now) noexcept {
    if (!begun_) {
        begun_ = true;
        origin_ = std::chrono::floor<std::chrono::seconds>(now);
        newest_ = now;
        throttled_at_ = std::chrono::duration<double>{now - origin_}.count();
    }
    newest_ = std::max(newest_, now);
    return std::chrono::duration<double>{newest_ - origin_}.count();
}

void AdaptiveLimiter::refill(double now) noexcept {
    if (refilled_at_ >= 0)
        state_.tokens = std::min(state_.burst, state_.tokens + (now - refilled_at_) * state_.rate);
    refilled_at_ = now;
}

Entry AdaptiveLimiter::enter(TimePoint now, TimePoint latest) noexcept {
    const std::lock_guard held{mutex_};
    const double at = seconds(now);
    if (!state_.limiting) return {};
    refill(at);
    if (state_.tokens >= 1) {
        state_.tokens -= 1;
        return {};
    }
    const TimePoint slot = later_by(newest_, (1 - state_.tokens) / state_.rate);
    if (slot >= latest) return {.kind = Entry::Kind::refused};
    state_.tokens -= 1;
    return {.kind = Entry::Kind::later, .at = slot};
}

void AdaptiveLimiter::measure(double now) noexcept {
    answers_ += 1;
    const double slice = std::floor(now * slices_per_second) / slices_per_second;
    if (slice <= slice_) return;
    state_.measured = answers_ / (slice - slice_) * adaptive::smoothing +
                      state_.measured * (1 - adaptive::smoothing);
    answers_ = 0;
    slice_ = slice;
}

void AdaptiveLimiter::set_rate(double wanted, double now) noexcept {
    refill(now);
    const double rate = std::max(wanted, adaptive::least_rate);
    // Slots handed out ahead stand, so at a lower rate they are a smaller debt of the same length;
    // at a higher one the debt is paid off sooner, as if those who wait had been woken.
    if (state_.tokens < 0 && rate < state_.rate) state_.tokens *= rate / state_.rate;
    state_.rate = rate;
    state_.burst = std::max(wanted, adaptive::least_burst);
    state_.tokens = std::min(state_.tokens, state_.burst);
}

void AdaptiveLimiter::leave(TimePoint now, Left left) noexcept {
    const std::lock_guard held{mutex_};
    const double at = seconds(now);
    if (left == Left::unused) {
        if (state_.limiting) state_.tokens = std::min(state_.tokens + 1, state_.burst);
        return;
    }
    measure(at);
    double wanted = 0;
    if (left == Left::throttled) {
        peak_ = state_.limiting ? std::min(state_.measured, state_.rate) : state_.measured;
        throttled_at_ = at;
        wanted = adaptive::after_throttle * peak_;
        state_.limiting = true;
    } else {
        wanted = adaptive::rate_after(peak_, at - throttled_at_);
    }
    set_rate(std::min(wanted, 2 * state_.measured), at);
}

AdaptiveLimiter::State AdaptiveLimiter::state() const noexcept {
    const std::lock_guard held{mutex_};
    return state_;
}

}  // namespace v0
}  // namespace perdure
