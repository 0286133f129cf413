// SPDX-License-Identifier: Apache-2.0
//
// How do two platforms get the same logarithm to the last bit? By using this one: only additions,
// multiplications, divisions and square roots, which IEEE 754 fixes exactly. The C library's own
// functions may differ in the last place from version to version, and a simulation that branches on
// such a bit tells another story.
//
//     const double exponential = -natural_log(stream.positive());
//
// Relative error below 4e-15, and near 1 no worse. Our own sources are compiled without contraction
// (no fused multiply-add, see cmake/flags.cmake); who calls these inline with it gets other last bits.
// Pure functions; any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace perdure {
inline namespace v0 {

namespace portable {

inline constexpr double ln2 = 0.693147180559945309417232121458;

// log((1 + s) / (1 - s)) by its series; for the table only.
constexpr double slow_log(double x) noexcept {
    const double s = (x - 1) / (x + 1);
    double power = s, sum = 0;
    for (int k = 1; k < 60; k += 2) {
        sum += power / k;
        power *= s * s;
    }
    return 2 * sum;
}

struct LogEntry {
    double inverse, log;
};
inline constexpr std::size_t log_entries = 128;
inline constexpr auto log_table = [] {
    std::array<LogEntry, log_entries> table{};
    for (std::size_t i = 0; i < log_entries; ++i) {
        const double middle = 1 + (static_cast<double>(i) + 0.5) / log_entries;
        table[i] = {1 / middle, slow_log(middle)};
    }
    return table;
}();

// For |r| up to 1/256; the first term left out is below 1e-20.
constexpr double log_of_one_plus(double r) noexcept {
    const double r2 = r * r;
    const double low = -0.5 + r * (1.0 / 3);
    const double middle = -0.25 + r * (1.0 / 5);
    const double high = -1.0 / 6 + r * (1.0 / 7);
    return r + r2 * (low + r2 * (middle + r2 * high));
}

// For |r| up to 1/16.
constexpr double log_near_one(double r) noexcept {
    double sum = 0;
    for (int k = 15; k > 1; --k) sum = r * (1.0 / k - sum);
    return r * (1 - sum);
}

}  // namespace portable

// Of a positive, finite, normal number.
constexpr double natural_log(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<double>(static_cast<int>(bits >> 52U) - 1023);
    const std::uint64_t fraction = bits & 0xfffffffffffffU;
    const auto mantissa = std::bit_cast<double>(fraction | 0x3ff0000000000000U);
    const portable::LogEntry entry = portable::log_table[fraction >> 45U];
    // Near 1 the sum below would cancel; the series alone does not.
    const double near = x - 1;
    if (near > -1.0 / 16 && near < 1.0 / 16) return portable::log_near_one(near);
    const double r = mantissa * entry.inverse - 1;
    return exponent * portable::ln2 + (entry.log + portable::log_of_one_plus(r));
}

// e^x, held between the smallest normal number and the largest.
constexpr double exponential(double x) noexcept {
    if (x > 709) return std::numeric_limits<double>::max();
    if (x < -708) return std::numeric_limits<double>::min();
    const auto halves = static_cast<std::int64_t>(x / portable::ln2 + (x < 0 ? -0.5 : 0.5));
    // ln 2 in two parts, the first with few enough bits for an exact product.
    constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
    const double k = static_cast<double>(halves);
    const double r = (x - k * high) - k * low;
    double term = 1, sum = 1;
    for (int i = 1; i < 18; ++i) {
        term *= r / i;
        sum += term;
    }
    const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(halves + 1023) << 52U);
    return sum * scale;
}

// base^n for n >= 0 by repeated squaring; infinite where it overflows.
constexpr double power(double base, int n) noexcept {
    double result = 1;
    for (; n > 0; n /= 2) {
        if (n % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}

}  // namespace v0
}  // namespace perdure
