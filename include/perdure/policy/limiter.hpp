// SPDX-License-Identifier: Apache-2.0
//
// May another attempt go out now, later, or not at all? Our own manners towards the dependency.
//
//     Plan{.limiter = {.kind = LimiterKind::rate, .per_second = 200, .burst = 20}}
//     Plan{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 32}}
//     Plan{.limiter = {.kind = LimiterKind::throttle}}   // what it would refuse, we do not send
//     Plan{.limiter = {.kind = LimiterKind::adaptive}}   // AWS: a rate that follows its throttles
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "perdure/cause.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

enum class LimiterKind : std::uint8_t {
    none,
    rate,         // so many attempts per second
    concurrency,  // so many under way at once
    throttle,     // Google SRE: at most `accepts` times as many as the service accepts
    adaptive,  // AWS SDKs: free until the first throttle, then a rate that follows them; adaptive.hpp
};

struct LimiterOptions {
    LimiterKind kind = LimiterKind::none;
    double per_second = 0;      // rate
    double burst = 1;           // rate: attempts that may go out at once after a pause
    int concurrent = 0;         // concurrency: attempts under way at once
    double accepts = 2;         // throttle: attempts per accepted one; lower sheds earlier
    Duration remembers = 2min;  // throttle: what is longer ago is forgotten; longer than an attempt
    std::size_t most_keys = 1024;  // of Limiters; further keys share one limiter
    friend bool operator==(const LimiterOptions&, const LimiterOptions&) noexcept = default;
};

struct Entry {
    enum class Kind : std::uint8_t { admitted, later, refused } kind = Kind::admitted;
    TimePoint at{};  // later: the slot that is now reserved for this attempt
};

// What became of an attempt that was let in.
enum class Left : std::uint8_t {
    accepted,      // the service took it, even if its answer was no
    not_accepted,  // it was overloaded, too slow, or nobody knows
    throttled,     // not accepted either: the service asked us to slow down
    unused,        // it was never sent
};

// Safe for any number of threads. Every attempt that was not refused is given back by `leave`,
// whatever became of it.
class Limiter {
public:
    Limiter() = default;
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    virtual ~Limiter();
    // Refused when no slot is free now or before `latest`; nothing is reserved then. So
    // `enter(now, now)` asks: now or not at all?
    [[nodiscard]] virtual Entry enter(TimePoint now, TimePoint latest) noexcept = 0;
    virtual void leave(TimePoint now, Left left) noexcept;
};

// Null for LimiterKind::none.
std::unique_ptr<Limiter> make_limiter(const LimiterOptions& options);

// One limiter per key (a table, a tenant), made on first use, never removed. Safe for any number of
// threads; what it hands out stays valid as long as this lives.
class Limiters {
public:
    explicit Limiters(const LimiterOptions& options);
    Limiters(const Limiters&) = delete;
    Limiters& operator=(const Limiters&) = delete;
    ~Limiters();
    [[nodiscard]] Limiter* at(std::string_view key);  // null for LimiterKind::none

private:
    struct Inside;  // src/policy
    const std::unique_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace perdure
