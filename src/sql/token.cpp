// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/token.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

int value_of(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

Token Token::make() { return make(unpredictable_random(), system_clock().wall()); }

// RFC 9562, 5.7. A clock that is set back makes no token twice: the random bits alone are enough.
Token Token::make(Random& random, WallTime now) {
    Token token;
    const std::array<std::uint64_t, 2> bits{random.bits(), random.bits()};
    std::memcpy(token.bytes_.data(), bits.data(), token.bytes_.size());
    auto left = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
    for (std::size_t i = 6; i-- > 0; left >>= 8u) token.bytes_[i] = static_cast<char>(left & 0xFFu);
    token.bytes_[6] = static_cast<char>((token.bytes_[6] & 0x0F) | 0x70);
    token.bytes_[8] = static_cast<char>((token.bytes_[8] & 0x3F) | 0x80);
    return token;
}

std::optional<Token> Token::parse(std::string_view text) noexcept {
    const bool hyphens = text.size() == 36;
    if (!hyphens && text.size() != 32) return std::nullopt;
    Token token;
    std::size_t filled = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (hyphens && (i == 8 || i == 13 || i == 18 || i == 23)) {
            if (text[i] != '-') return std::nullopt;
            continue;
        }
        const int value = value_of(text[i]);
        if (value < 0) return std::nullopt;
        char& byte = token.bytes_[filled / 2];
        byte = static_cast<char>(filled % 2 == 0 ? value << 4 : (byte | value));
        ++filled;
    }
    return token;
}

std::string Token::hex() const {
    std::string text;
    text.reserve(32);
    for (const char byte : bytes_) {
        text += digits[static_cast<unsigned char>(byte) >> 4u];
        text += digits[static_cast<unsigned char>(byte) & 0xFu];
    }
    return text;
}

std::string to_string(const Token& token) {
    std::string text = token.hex();
    for (const std::size_t at : {20u, 16u, 12u, 8u}) text.insert(at, 1, '-');
    return text;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
