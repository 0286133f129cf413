// SPDX-License-Identifier: Apache-2.0
//
// How does a server learn how long its caller still waits, and who repeats? From two headers:
// `perdure-timeout: 250` (milliseconds left) and `perdure-retries: owner` (the caller repeats).
//
//     const http::Inherited inherited = http::parse_inherited(request.headers);
//     const Attempt outer = http::attempt_of(inherited, clock, 2s);
//     users.run(outer, {.nested = http::nested_of(inherited)}, load);
//
// They are a request, not an order: a server honours them only if it says so by such lines, and never
// gives more time than its own limit. A duration and not a time is sent because clocks differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "perdure/call/attempt.hpp"
#include "perdure/call/operation.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

inline constexpr std::string_view timeout_header = "perdure-timeout";
inline constexpr std::string_view retries_header = "perdure-retries";

// Who repeats what fails: each layer by itself, or those who call us.
enum class Retries : std::uint8_t { own, callers };

// A plain value.
struct Inherited {
    std::optional<Duration> timeout{};
    Retries retries = Retries::own;
    friend bool operator==(const Inherited&, const Inherited&) noexcept = default;
};

// What a request brought along. Garbage counts as nothing; of several timeouts the shortest holds;
// more than a day is a day.
Inherited parse_inherited(const Headers& headers);

// Until when the request is worth working on: the tighter of both. Zero milliseconds left is a
// deadline that has passed: the answer would find nobody.
Deadline deadline_of(const Inherited& inherited, TimePoint now, Duration own_limit) noexcept;

// The attempt that a server's own calls are nested in, and what nesting means for them: one attempt
// each where the caller repeats, their own retries otherwise; never past the deadline. The clock
// must outlive it.
Attempt attempt_of(const Inherited& inherited, const Clock& clock, Duration own_limit) noexcept;
constexpr Nested nested_of(const Inherited& inherited) noexcept {
    return inherited.retries == Retries::callers ? Nested::one_attempt : Nested::own_retries;
}

// The headers of one attempt, for whoever sends it. Its views point into itself, so it stays where
// it was made; used by one thread.
class Propagated {
public:
    // Rounded down to milliseconds: a server must not believe it has longer than we wait. `way` is
    // taken off for the answer's way back; zero unless the caller has measured it. Without a
    // deadline (`never`) there is no timeout to send.
    Propagated(Duration time_left, Retries retries, Duration way = {}) noexcept;
    Propagated(const Propagated&) = delete;
    Propagated& operator=(const Propagated&) = delete;

    [[nodiscard]] std::span<const Header> headers() const noexcept {
        return {headers_.data(), count_};
    }

private:
    std::array<char, 24> digits_{};
    std::array<Header, 2> headers_{};
    std::size_t count_ = 0;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
