// SPDX-License-Identifier: Apache-2.0
#include "murmur.hpp"

#include <bit>
#include <cstddef>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// At most eight bytes, the first one lowest, on any machine.
std::uint64_t little_endian(std::string_view bytes) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return number;
}

std::uint32_t stirred(std::uint32_t word) noexcept {
    return std::rotl(word * 0xcc9e2d51U, 15) * 0x1b873593U;
}

std::uint32_t finished(std::uint32_t hash) noexcept {
    hash = (hash ^ hash >> 16U) * 0x85ebca6bU;
    hash = (hash ^ hash >> 13U) * 0xc2b2ae35U;
    return hash ^ hash >> 16U;
}

constexpr std::uint64_t first_factor = 0x87c37b91114253d5U;
constexpr std::uint64_t second_factor = 0x4cf5ad432745937fU;

std::uint64_t stirred_low(std::uint64_t word) noexcept {
    return std::rotl(word * first_factor, 31) * second_factor;
}

std::uint64_t stirred_high(std::uint64_t word) noexcept {
    return std::rotl(word * second_factor, 33) * first_factor;
}

std::uint64_t finished(std::uint64_t hash) noexcept {
    hash = (hash ^ hash >> 33U) * 0xff51afd7ed558ccdU;
    hash = (hash ^ hash >> 33U) * 0xc4ceb9fe1a85ec53U;
    return hash ^ hash >> 33U;
}

}  // namespace

std::uint32_t murmur3_x86_32(std::string_view bytes) noexcept {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    std::uint32_t hash = 0;
    for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        hash ^= stirred(static_cast<std::uint32_t>(little_endian(bytes.substr(0, 4))));
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64U;
    }
    // Nothing left stirs to nothing.
    hash ^= stirred(static_cast<std::uint32_t>(little_endian(bytes)));
    return finished(hash ^ size);
}

Hash128 murmur3_x64_128(std::string_view bytes) noexcept {
    const std::uint64_t size = bytes.size();
    std::uint64_t low = 0, high = 0;
    for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
        low ^= stirred_low(little_endian(bytes.substr(0, 8)));
        low = (std::rotl(low, 27) + high) * 5 + 0x52dce729U;
        high ^= stirred_high(little_endian(bytes.substr(8, 8)));
        high = (std::rotl(high, 31) + low) * 5 + 0x38495ab5U;
    }
    if (bytes.size() > 8) high ^= stirred_high(little_endian(bytes.substr(8)));
    low ^= stirred_low(little_endian(bytes.substr(0, 8)));
    low ^= size;
    high ^= size;
    low += high;
    high += low;
    low = finished(low);
    high = finished(high);
    low += high;
    high += low;
    return {low, high};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
