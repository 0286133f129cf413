// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/checksum.hpp"

#include <charconv>

#include <zlib.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

std::uint32_t continued(std::uint32_t crc, std::string_view bytes) noexcept {
    const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
    return static_cast<std::uint32_t>(::crc32_z(crc, data, bytes.size()));
}

#ifdef __x86_64__

constexpr std::size_t lane = 16;
constexpr std::size_t worth_it = 64;

// zlib takes four instructions for every byte; carry-less multiplication less than one. The sum is a
// remainder of polynomials over two elements, bits reversed, so sixteen bytes may be moved behind the
// next sixteen by a multiplication with x^(128+32) and x^(128-32) modulo the divisor: what is left in
// the end has the same remainder as all the text. zlib divides that.
__attribute__((target("pclmul,sse2"))) std::uint32_t folded(std::string_view bytes) noexcept {
    const auto next = [&bytes]() __attribute__((target("pclmul,sse2"))) {
        const __m128i taken = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data()));
        bytes.remove_prefix(lane);
        return taken;
    };
    const __m128i by = _mm_set_epi64x(0x0'CCAA'009E, 0x1'7519'97D0);
    const __m128i all_ones = _mm_set_epi32(0, 0, 0, -1);  // what the remainder begins with
    __m128i sum = _mm_xor_si128(next(), all_ones);
    while (bytes.size() >= lane) {
        const __m128i low = _mm_clmulepi64_si128(sum, by, 0x00);
        const __m128i high = _mm_clmulepi64_si128(sum, by, 0x11);
        sum = _mm_xor_si128(_mm_xor_si128(low, high), next());
    }
    char left[lane];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(left), sum);
    // zlib inverts before and after; here the beginning is nothing.
    return continued(continued(0xFFFF'FFFFU, {left, lane}), bytes);
}

bool can_fold() noexcept {
    static const bool can = __builtin_cpu_supports("pclmul") != 0;
    return can;
}

#endif

}  // namespace

std::uint32_t crc32(std::string_view bytes) noexcept {
#ifdef __x86_64__
    if (bytes.size() >= worth_it && can_fold()) return folded(bytes);
#endif
    // A null pointer would ask zlib for its start value, which is that of no bytes too.
    return continued(0, bytes);
}

Checksum verified(std::optional<std::string_view> header, std::string_view body) noexcept {
    if (!header) return Checksum::not_given;
    std::uint32_t said = 0;
    const char* const begin = header->data();
    const char* const end = begin + header->size();
    const auto [stopped, error] = std::from_chars(begin, end, said);
    if (error != std::errc{} || stopped != end) return Checksum::not_given;
    return said == crc32(body) ? Checksum::right : Checksum::wrong;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
