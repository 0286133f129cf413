// SPDX-License-Identifier: Apache-2.0
//
// Did the write whose answer was lost really happen? What a resolver found out.
//
//     return found ? Landed<Receipt>::yes(Receipt{id}) : Landed<Receipt>::no();
//
// `no` is a strong word: it did not happen *and can no longer happen*. A row that is not there
// while the old transaction may still commit is `pending`, not `no`.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

enum class Verdict : std::uint8_t { yes, no, pending, unknown };

template <class T>
class Landed {
public:
    static Landed yes(T value) {
        Landed landed{Verdict::yes};
        landed.value_.emplace(std::move(value));
        return landed;
    }
    static Landed no() { return Landed{Verdict::no}; }
    static Landed pending(Duration ask_again_after = {}) {
        Landed landed{Verdict::pending};
        landed.after_ = ask_again_after;
        return landed;
    }
    static Landed unknown() { return Landed{Verdict::unknown}; }

    [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }
    // Zero: as soon as the plan's resolve rule allows.
    [[nodiscard]] Duration ask_again_after() const noexcept { return after_; }
    // Only after `yes`.
    [[nodiscard]] T& value() & { return *value_; }
    [[nodiscard]] const T& value() const& { return *value_; }
    [[nodiscard]] T&& value() && { return *std::move(value_); }

private:
    explicit Landed(Verdict verdict) noexcept : verdict_{verdict} {}

    Verdict verdict_;
    Duration after_{};
    std::optional<T> value_;
};

template <>
class Landed<void> {
public:
    static Landed yes() { return Landed{Verdict::yes}; }
    static Landed no() { return Landed{Verdict::no}; }
    static Landed pending(Duration ask_again_after = {}) {
        Landed landed{Verdict::pending};
        landed.after_ = ask_again_after;
        return landed;
    }
    static Landed unknown() { return Landed{Verdict::unknown}; }

    [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }
    [[nodiscard]] Duration ask_again_after() const noexcept { return after_; }

private:
    explicit Landed(Verdict verdict) noexcept : verdict_{verdict} {}

    Verdict verdict_;
    Duration after_{};
};

}  // namespace v0
}  // namespace perdure
