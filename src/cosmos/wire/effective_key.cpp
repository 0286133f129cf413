// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/effective_key.hpp"

#include <bit>
#include <cstddef>

#include "murmur.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::string_view digits = "0123456789ABCDEF";
// Version 1 looks at so much of a text: characters in UTF-16, as .NET counts them, and bytes in UTF-8.
constexpr std::size_t v1_characters = 100;
constexpr std::size_t v1_bytes = 100;

// What stands before a value, for its type.
enum class Mark : std::uint8_t { undefined, null, no, yes, number = 5, text = 8 };

void append_byte(std::string& bytes, std::uint64_t byte) {
    bytes += static_cast<char>(static_cast<unsigned char>(byte));
}

void append_mark(std::string& bytes, Mark mark) {
    append_byte(bytes, static_cast<std::uint64_t>(mark));
}

void append_hex(std::string& out, std::uint64_t number) {
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[number >> shift & 15U];
}

Mark mark_of(const KeyPart& part) {
    switch (part.kind()) {
        case PartKind::undefined: return Mark::undefined;
        case PartKind::null: return Mark::null;
        case PartKind::boolean: return part.truth() ? Mark::yes : Mark::no;
        case PartKind::number: return Mark::number;
        case PartKind::string: return Mark::text;
    }
    return Mark::undefined;
}

// Of UTF-8, by the first byte of a character.
std::size_t length_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// The text that version 1 hashes. Where the cut halves a surrogate pair .NET writes U+FFFD.
std::string v1_text(std::string_view text) {
    std::size_t at = 0, characters = 0;
    while (at < text.size() && characters < v1_characters) {
        const std::size_t length = length_at(text, at);
        if (length == 4 && characters + 1 == v1_characters)
            return std::string{text.substr(0, at)} + "\xef\xbf\xbd";
        characters += length == 4 ? 2 : 1;
        at += length;
    }
    return std::string{text.substr(0, at)};
}

// As it is hashed.
void append_plain(std::string& bytes, const KeyPart& part, KeyVersion version) {
    append_mark(bytes, mark_of(part));
    if (part.kind() == PartKind::number) {
        const auto bits = std::bit_cast<std::uint64_t>(part.number());
        for (unsigned shift = 0; shift < 64; shift += 8) append_byte(bytes, bits >> shift);
    } else if (part.kind() == PartKind::string) {
        if (version == KeyVersion::v1) bytes.append(v1_text(part.text())).append(1, '\0');
        else bytes.append(part.text()).append(1, '\xff');
    }
}

// In the order of the numbers when compared byte by byte: the sign first, the rest in groups of seven
// bits, whose lowest bit says that more follows.
void append_ordered(std::string& bytes, double number) {
    auto bits = std::bit_cast<std::uint64_t>(number);
    constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
    bits = (bits & sign) == 0 ? bits ^ sign : ~bits + 1;
    append_mark(bytes, Mark::number);
    append_byte(bytes, bits >> 56U);
    bits <<= 8U;
    do {
        const std::uint64_t group = bits >> 57U;
        bits <<= 7U;
        append_byte(bytes, group << 1U | (bits != 0 ? 1U : 0U));
    } while (bits != 0);
}

void append_ordered(std::string& bytes, const KeyPart& part) {
    if (part.kind() == PartKind::number) return append_ordered(bytes, part.number());
    append_mark(bytes, mark_of(part));
    if (part.kind() != PartKind::string) return;
    const std::string text = v1_text(part.text());
    // One byte more says that it was longer; then nothing closes it.
    for (const char c : text.substr(0, v1_bytes + 1))
        append_byte(bytes, static_cast<unsigned char>(c) + 1U);  // UTF-8 has no FF
    if (text.size() <= v1_bytes) append_byte(bytes, 0);
}

void append_hashed(std::string& out, std::string_view plain) {
    const Hash128 hash = murmur3_x64_128(plain);
    // Two bits fewer, so that "FF" lies behind all of them.
    append_hex(out, hash.high & 0x3fff'ffff'ffff'ffffU);
    append_hex(out, hash.low);
}

std::string hashed_v1(const PartitionKey& key) {
    std::string plain, ordered, out;
    for (const KeyPart& part : key.parts()) append_plain(plain, part, KeyVersion::v1);
    append_ordered(ordered, static_cast<double>(murmur3_x86_32(plain)));
    for (const KeyPart& part : key.parts()) append_ordered(ordered, part);
    out.reserve(2 * ordered.size());
    for (const char c : ordered) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
    return out;
}

std::string hashed_apart(const PartitionKey& key) {
    std::string plain, out;
    for (const KeyPart& part : key.parts()) {
        plain.clear();
        append_plain(plain, part, KeyVersion::v2);
        append_hashed(out, plain);
    }
    return out;
}

}  // namespace

std::string effective_key(const PartitionKey& key, KeyKind kind, KeyVersion version) {
    if (key.parts().empty()) return std::string{least_effective_key};
    if (kind == KeyKind::multi_hash) return hashed_apart(key);
    if (version == KeyVersion::v1) return hashed_v1(key);
    std::string plain, out;
    out.reserve(32);
    for (const KeyPart& part : key.parts()) append_plain(plain, part, KeyVersion::v2);
    append_hashed(out, plain);
    return out;
}

EffectiveRange prefix_range(const PartitionKey& prefix) {
    EffectiveRange range{.min = hashed_apart(prefix)};
    range.max = range.min;
    range.max += end_of_effective_keys;
    return range;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
