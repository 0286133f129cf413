// SPDX-License-Identifier: Apache-2.0
//
// How far is our clock from the service's, and was that why it refused? The rule the AWS SDKs share
// since 2026: measure with every answer, sign the next request by the service's clock. Unlike theirs it
// follows only dates that can be trusted, and for a day at most: http/service_clock.hpp.
//
//     CallSkew skew{client_skew};                          // one per logical call
//     sign(skew.signing_time(clock.wall()));               // before every attempt
//     if (skew.heard(code, headers, sent, received)) …     // after every answer
//     skew.keep();                                         // when the call ends, however it ends
#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/http/headers.hpp"
#include "perdure/http/service_clock.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Whether the service said no because of the time: one of five codes, and more than 4 minutes between
// the skew this attempt was signed with and the one measured from its answer. Without the second half
// a wrong secret or a missing right would be tried again for nothing. Pure; any thread.
bool is_skew(std::string_view code, Duration used, Duration measured) noexcept;

// What a client knows about its clock. Any number of threads; the last call to end is believed, so
// that a wrong value heals by itself.
class ClockSkew {
public:
    explicit ClockSkew(http::Dates dates = http::Dates::trusted) noexcept : dates_{dates} {}
    // Before it is shared: once the endpoint is known.
    void read(http::Dates dates) noexcept { dates_ = dates; }
    [[nodiscard]] http::Dates dates() const noexcept { return dates_; }
    [[nodiscard]] bool may_follow(Duration skew) const noexcept {
        return http::may_follow(skew, dates_);
    }
    [[nodiscard]] Duration get() const noexcept {
        return Duration{nanoseconds_.load(std::memory_order_relaxed)};
    }
    void set(Duration skew) noexcept {
        nanoseconds_.store(skew.count(), std::memory_order_relaxed);
        known_.store(true, std::memory_order_release);
    }
    // What the last answer said, followed or not, a day at most. Counted chooses its window by it, so that all
    // clients choose the same one; nothing is signed by it.
    [[nodiscard]] Duration told() const noexcept {
        return Duration{told_.load(std::memory_order_relaxed)};
    }
    void tell(Duration skew) noexcept;
    // Measured, or the service has answered and told no time: then our own clock is believed.
    [[nodiscard]] bool known() const noexcept { return known_.load(std::memory_order_acquire); }
    void settle() noexcept { known_.store(true, std::memory_order_release); }

private:
    http::Dates dates_;
    std::atomic<Duration::rep> nanoseconds_{0};
    std::atomic<Duration::rep> told_{0};
    std::atomic<bool> known_{false};
};

// The skew in one logical call: an attempt is signed with what the one before it measured. For one
// thread at a time; `client` must outlive it.
class CallSkew {
public:
    explicit CallSkew(ClockSkew& client) noexcept : client_{client}, used_{client.get()} {}

    [[nodiscard]] WallTime signing_time(WallTime now) const noexcept {
        return http::corrected(now, used_);
    }
    [[nodiscard]] Duration used() const noexcept { return used_; }  // for the attempt to come
    // `code` is empty after a success. Says whether the answer is to be repeated because of skew. A skew
    // that may not be followed is not kept.
    bool heard(std::string_view code, const http::Headers& headers, WallTime sent,
               WallTime received);
    // Nothing to keep where no answer could be measured.
    void keep() noexcept;

private:
    ClockSkew& client_;
    Duration used_;
    std::optional<Duration> told_;
    bool measured_ = false;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
