// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/periodic.hpp"

#include "siphash.hpp"

#include <array>
#include <cassert>
#include <fstream>

#include <unistd.h>

namespace perdure {
inline namespace v0 {
namespace {

constexpr SipKey published_key{0x2065727564726570U, 0x6369646f69726570U};

// The upper half of the 128-bit product, where hash % window would favour the low places.
std::uint64_t multiply_high(std::uint64_t left, std::uint64_t right) noexcept {
    constexpr std::uint64_t low_half = 0xffffffffU;
    const std::uint64_t low = (left & low_half) * (right & low_half);
    const std::uint64_t cross = (left >> 32) * (right & low_half) + (low >> 32);
    const std::uint64_t other = (left & low_half) * (right >> 32) + (cross & low_half);
    return (left >> 32) * (right >> 32) + (cross >> 32) + (other >> 32);
}

// In [0, period) also for times before 1970.
Duration modulo(Duration value, Duration period) noexcept {
    const Duration rest = value % period;
    return rest < Duration::zero() ? rest + period : rest;
}

}  // namespace

Duration stable_offset(std::string_view host, std::string_view job, Duration window,
                       std::uint64_t epoch) {
    if (window <= Duration::zero()) return Duration::zero();
    std::string text{host};
    text += '\0';
    text += job;
    if (epoch != 0)
        for (int shift = 0; shift < 64; shift += 8)
            text += static_cast<char>(epoch >> shift & 0xff);
    const std::uint64_t hash = siphash24(published_key, text);
    return Duration{
        static_cast<std::int64_t>(multiply_high(hash, static_cast<std::uint64_t>(window.count())))};
}

Duration even_offset(std::uint32_t index, std::uint32_t count, Duration window) {
    assert(count <= std::uint32_t{1} << 31);
    if (count == 0 || window <= Duration::zero()) return Duration::zero();
    // (2 index + 1) · window / (2 count), cut so that no product passes 64 bits.
    const std::uint64_t halves = 2 * std::uint64_t{index % count} + 1;
    const std::uint64_t parts = 2 * std::uint64_t{count};
    const auto whole = static_cast<std::uint64_t>(window.count());
    return Duration{
        static_cast<std::int64_t>(halves * (whole / parts) + halves * (whole % parts) / parts)};
}

std::string host_identity(const std::string& machine_id_file) {
    std::string id;
    // systemd writes "uninitialized" into images that are meant to get an id at their first boot.
    if (std::ifstream file{machine_id_file}; file >> id && id != "uninitialized") return id;
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

Duration Schedule::until_next(WallTime now) const noexcept {
    if (period <= Duration::zero()) return never;
    const Duration phase = modulo(now.time_since_epoch(), period) - modulo(offset, period);
    return phase < Duration::zero() ? -phase : period - phase;
}

WallTime Schedule::next_after(WallTime now) const noexcept {
    const Duration wait = until_next(now);
    if (wait == never || (now > WallTime{} && wait > WallTime::max() - now)) return WallTime::max();
    return now + wait;
}

WallTime Schedule::next_after(WallTime now, WallTime fired) const noexcept {
    const WallTime next = next_after(now);
    return next == fired ? next_after(fired) : next;
}

}  // namespace v0
}  // namespace perdure
