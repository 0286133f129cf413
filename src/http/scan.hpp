// SPDX-License-Identifier: Apache-2.0
//
// Where does a name end, and where a line? Sixteen bytes at a time where the processor can, which is
// on every x86-64; most of what a parser does is to look at bytes that are as they should be.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "text.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace perdure {
inline namespace v0 {
namespace http {
namespace detail {

constexpr bool is_plain_name(char byte) noexcept {
    return is_letter(static_cast<unsigned char>(byte)) || byte == '-';
}
constexpr bool is_control(char byte) noexcept {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
}

#if defined(__SSE2__)
inline __m128i sixteen_at(const char* bytes) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}
inline unsigned marks(__m128i meant) noexcept {
    return static_cast<unsigned>(_mm_movemask_epi8(meant));
}
#endif

// The first byte from `at` on that is neither a letter nor a hyphen, or the end.
inline std::size_t find_name_end(std::string_view bytes, std::size_t at) noexcept {
#if defined(__SSE2__)
    for (; at + 16 <= bytes.size(); at += 16) {
        const __m128i block = sixteen_at(bytes.data() + at);
        const __m128i place =
            _mm_sub_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        const __m128i letters = _mm_cmpeq_epi8(_mm_min_epu8(place, _mm_set1_epi8(25)), place);
        const __m128i hyphens = _mm_cmpeq_epi8(block, _mm_set1_epi8('-'));
        if (const unsigned others = ~marks(_mm_or_si128(letters, hyphens)) & 0xffffU)
            return at + static_cast<std::size_t>(std::countr_zero(others));
    }
#endif
    while (at < bytes.size() && is_plain_name(bytes[at])) ++at;
    return at;
}

// The first control character from `at` on, or the end.
inline std::size_t find_control(std::string_view bytes, std::size_t at) noexcept {
#if defined(__SSE2__)
    for (; at + 16 <= bytes.size(); at += 16) {
        const __m128i block = sixteen_at(bytes.data() + at);
        const __m128i below =
            _mm_cmpeq_epi8(_mm_max_epu8(block, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
        const __m128i del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
        if (const unsigned controls = marks(_mm_or_si128(below, del)))
            return at + static_cast<std::size_t>(std::countr_zero(controls));
    }
#endif
    while (at < bytes.size() && !is_control(bytes[at])) ++at;
    return at;
}

#if defined(__SSE2__)
// Whether every block of sixteen passes. The last one overlaps; what is shorter is filled up with a
// byte that passes.
template <class Passes>
bool each_block(std::string_view bytes, Passes&& passes) noexcept {
    if (bytes.size() < 16) {
        char filled[16];  // NOLINT(modernize-avoid-c-arrays): as the processor wants it
        std::memset(filled, 'a', sizeof filled);
        for (std::size_t i = 0; i < bytes.size(); ++i) filled[i] = bytes[i];
        return passes(sixteen_at(filled));
    }
    for (std::size_t at = 0; at + 16 < bytes.size(); at += 16)
        if (!passes(sixteen_at(bytes.data() + at))) return false;
    return passes(sixteen_at(bytes.data() + bytes.size() - 16));
}
#endif

// Whether it is of letters and hyphens alone.
inline bool all_plain_name(std::string_view bytes) noexcept {
#if defined(__SSE2__)
    return each_block(bytes, [](__m128i block) {
        const __m128i place =
            _mm_sub_epi8(_mm_or_si128(block, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
        const __m128i letters = _mm_cmpeq_epi8(_mm_min_epu8(place, _mm_set1_epi8(25)), place);
        const __m128i hyphens = _mm_cmpeq_epi8(block, _mm_set1_epi8('-'));
        return marks(_mm_or_si128(letters, hyphens)) == 0xffffU;
    });
#else
    return find_name_end(bytes, 0) == bytes.size();
#endif
}

// Whether it has no control character at all.
inline bool no_control(std::string_view bytes) noexcept {
#if defined(__SSE2__)
    return each_block(bytes, [](__m128i block) {
        const __m128i below =
            _mm_cmpeq_epi8(_mm_max_epu8(block, _mm_set1_epi8(0x1f)), _mm_set1_epi8(0x1f));
        const __m128i del = _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f));
        return marks(_mm_or_si128(below, del)) == 0;
    });
#else
    return find_control(bytes, 0) == bytes.size();
#endif
}

// Whether `name` is `wanted`, which is of letters in lower case and hyphens and at least eight bytes
// long; `name` has no control characters. Setting one bit makes a letter lower case and a hyphen of
// nothing else but a hyphen or a carriage return.
inline bool is_name(std::string_view name, std::string_view wanted) noexcept {
    const auto differ = [&](std::size_t at) {
        std::uint64_t eight = 0, other = 0;
        std::memcpy(&eight, name.data() + at, 8);
        std::memcpy(&other, wanted.data() + at, 8);
        return (eight | 0x2020202020202020U) != other;
    };
    if (name.size() != wanted.size()) return false;
    for (std::size_t at = 0; at + 8 < wanted.size(); at += 8)
        if (differ(at)) return false;
    return !differ(wanted.size() - 8);
}

}  // namespace detail
}  // namespace http
}  // namespace v0
}  // namespace perdure
