// SPDX-License-Identifier: Apache-2.0
//
// Which 64-bit number stands for these bytes, today and in every later version? SipHash-2-4 by
// Aumasson and Bernstein, with a key. std::hash promises no such thing.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

// The 16 bytes of the key as two little-endian words.
struct SipKey {
    std::uint64_t low, high;
};

// Any thread. The same on every platform, whatever its byte order.
std::uint64_t siphash24(SipKey key, std::string_view bytes) noexcept;

}  // namespace v0
}  // namespace perdure
