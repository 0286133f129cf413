// SPDX-License-Identifier: Apache-2.0
#include "siphash.hpp"

#include <bit>
#include <cstddef>

namespace perdure {
inline namespace v0 {
namespace {

// The four words of "somepseudorandomlygeneratedbytes", each mixed with half of the key.
struct State {
    std::uint64_t v0, v1, v2, v3;

    explicit State(SipKey key) noexcept
        : v0{key.low ^ 0x736f6d6570736575U},
          v1{key.high ^ 0x646f72616e646f6dU},
          v2{key.low ^ 0x6c7967656e657261U},
          v3{key.high ^ 0x7465646279746573U} {}

    void rounds(int count) noexcept {
        while (count-- > 0) {
            v0 += v1;
            v2 += v3;
            v1 = std::rotl(v1, 13) ^ v0;
            v3 = std::rotl(v3, 16) ^ v2;
            v0 = std::rotl(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = std::rotl(v1, 17) ^ v2;
            v3 = std::rotl(v3, 21) ^ v0;
            v2 = std::rotl(v2, 32);
        }
    }

    void take(std::uint64_t word) noexcept {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }
};

// Up to eight bytes, the first lowest.
std::uint64_t word_of(std::string_view bytes) noexcept {
    std::uint64_t word = 0;
    for (std::size_t place = bytes.size(); place-- > 0;)
        word = (word << 8) | static_cast<unsigned char>(bytes[place]);
    return word;
}

}  // namespace

std::uint64_t siphash24(SipKey key, std::string_view bytes) noexcept {
    State state{key};
    const std::uint64_t length = bytes.size();
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) state.take(word_of(bytes.substr(0, 8)));
    state.take((length << 56) | word_of(bytes));
    state.v2 ^= 0xff;
    state.rounds(4);
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace v0
}  // namespace perdure
