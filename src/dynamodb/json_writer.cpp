// SPDX-License-Identifier: Apache-2.0
#include "json_writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base64.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::array<bool, 256> escaped_bytes() {
    std::array<bool, 256> escaped{};
    for (std::size_t c = 0; c < 0x20; ++c) escaped[c] = true;
    escaped['"'] = escaped['\\'] = true;
    return escaped;
}
constexpr auto must_be_escaped = escaped_bytes();

// Sixteen bytes at a time, in whatever registers the machine has for them.
using Block = unsigned char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));

bool is_clean(const char* bytes) noexcept {
    Block block;
    std::memcpy(&block, bytes, sizeof block);
    const auto wrong =
        (block < Block{} + 0x20) | (block == Block{} + '"') | (block == Block{} + '\\');
    const auto halves = reinterpret_cast<Halves>(wrong);
    return (halves[0] | halves[1]) == 0;
}

// The same for eight: whether a byte is below a bound, or zero once it was compared, shows in the
// borrow of a subtraction from all of them at once.
bool are_eight_clean(const char* bytes) noexcept {
    constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes, sizeof eight);
    const std::uint64_t quotes = eight ^ each * '"', slashes = eight ^ each * '\\';
    const std::uint64_t wrong = ((eight - each * 0x20U) & ~eight) | ((quotes - each) & ~quotes) |
                                ((slashes - each) & ~slashes);
    return (wrong & each * 0x80U) == 0;
}

// How many bytes at the beginning can be copied as they are.
std::size_t clean_run(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at + sizeof(Block) <= text.size() && is_clean(text.data() + at)) at += sizeof(Block);
    if (at + 8 <= text.size() && are_eight_clean(text.data() + at)) at += 8;
    while (at < text.size() && !must_be_escaped[static_cast<unsigned char>(text[at])]) ++at;
    return at;
}

void append_escaped(std::string& out, char c) {
    constexpr std::string_view hex = "0123456789abcdef", marked = "\"\\\b\f\n\r\t",
                               as = "\"\\bfnrt";
    out += '\\';
    if (const std::size_t at = marked.find(c); at != marked.npos) {
        out += as[at];
        return;
    }
    out += "u00";
    out += hex[static_cast<unsigned char>(c) >> 4U];
    out += hex[static_cast<unsigned char>(c) & 15U];
}

}  // namespace

void JsonWriter::append_quoted(std::string_view text) {
    out_ += '"';
    for (;;) {
        const std::size_t clean = clean_run(text);
        out_.append(text.data(), clean);
        if (clean == text.size()) break;
        append_escaped(out_, text[clean]);
        text.remove_prefix(clean + 1);
    }
    out_ += '"';
}

void JsonWriter::integer(std::int64_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void JsonWriter::base64(std::string_view bytes) {
    raw("\"");
    append_base64(out_, bytes);
    out_ += '"';
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
