// SPDX-License-Identifier: Apache-2.0
//
// Which number do these bytes hash to? MurmurHash3, both variants the service uses, with seed 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Hash128 {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

// Pure; any thread.
std::uint32_t murmur3_x86_32(std::string_view bytes) noexcept;
Hash128 murmur3_x64_128(std::string_view bytes) noexcept;

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
