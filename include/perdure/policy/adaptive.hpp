// SPDX-License-Identifier: Apache-2.0
//
// How fast may we send to somebody who throttles us? The rate limiter of the AWS SDKs' adaptive mode:
// it lets everything pass until the first throttle, then falls to 70 % of the rate it had measured and
// climbs back along a cubic curve, slowly near the rate that was too much, faster beyond it.
//
//     Plan{.limiter = {.kind = LimiterKind::adaptive}}
//     AdaptiveLimiter limiter;      // or by hand: what it has learned can be read
//
// One limiter for many tables lets a hot one slow down its neighbours: give each its own, see Limiters.
#pragma once

#include <mutex>

#include "perdure/policy/limiter.hpp"

namespace perdure {
inline namespace v0 {

// Its constants are those of the SDKs; pure functions, any thread.
namespace adaptive {

inline constexpr double smoothing = 0.8;  // share of the newest half second in the measured rate
inline constexpr double after_throttle = 0.7;  // of the rate that was too much
inline constexpr double steepness = 0.4;       // of the cubic curve
inline constexpr double least_rate = 0.5;      // attempts per second, however often it throttles
inline constexpr double least_burst = 1;

// Seconds after a throttle at which the curve is back at the rate that was too much.
double recovery(double rate_at_throttle) noexcept;
double rate_after(double rate_at_throttle, double seconds_since_throttle) noexcept;

}  // namespace adaptive

// Safe for any number of threads. A slot once handed out stands, whatever the rate becomes meanwhile.
class AdaptiveLimiter final : public Limiter {
public:
    [[nodiscard]] Entry enter(TimePoint now, TimePoint latest) noexcept override;
    void leave(TimePoint now, Left left) noexcept override;

    struct State {
        bool limiting = false;  // a throttle has been seen
        double measured = 0;    // answers per second
        double rate = 0;        // attempts per second that are let out, once limiting
        double burst = 0;
        double tokens = 0;  // below zero: slots handed out ahead
    };
    [[nodiscard]] State state() const noexcept;

private:
    double seconds(TimePoint now) noexcept;
    void refill(double now) noexcept;
    void measure(double now) noexcept;
    void set_rate(double wanted, double now) noexcept;

    mutable std::mutex mutex_;  // what follows
    State state_{};
    bool begun_ = false;
    TimePoint origin_{};       // a whole second; the times below count from here
    TimePoint newest_{};       // a clock that goes back stands still here
    double refilled_at_ = -1;  // below zero: not yet
    double slice_ = 0;
    double answers_ = 0;  // in this slice of half a second
    double peak_ = 0;     // the rate at the last throttle
    double throttled_at_ = 0;
};

}  // namespace v0
}  // namespace perdure
