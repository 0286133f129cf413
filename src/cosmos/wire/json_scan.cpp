// SPDX-License-Identifier: Apache-2.0
#include "json_scan.hpp"

#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "perdure/cosmos/wire/limits.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr Trouble too_short = "it ends too early";
constexpr Trouble no_json = "it is not valid JSON";
constexpr Trouble other_type = "a value is of another type than expected";
constexpr Trouble too_deep = "it is nested too deeply";
constexpr Trouble no_number = "a number cannot be read";

// Sixteen bytes at a time, in whatever registers the machine has for them.
using Block = unsigned char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));

bool ends_plain_text(char c) noexcept {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// The first quote, backslash or control character, or the end.
const char* end_of_plain_text(const char* at, const char* end) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
        for (; end - at >= std::ptrdiff_t{sizeof(Block)}; at += sizeof(Block)) {
            Block block;
            std::memcpy(&block, at, sizeof block);
            const auto found =
                (block == Block{} + '"') | (block == Block{} + '\\') | (block < Block{} + 0x20);
            const auto halves = reinterpret_cast<Halves>(found);
            if (halves[0] != 0) return at + std::countr_zero(halves[0]) / 8;
            if (halves[1] != 0) return at + 8 + std::countr_zero(halves[1]) / 8;
        }
    }
    while (at != end && !ends_plain_text(*at)) ++at;
    return at;
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

inline void JsonScan::skip_space() noexcept {
    while (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ' &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
        ++at_;
}

inline bool JsonScan::take(char c) noexcept {
    skip_space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
}

JsonType JsonScan::next() noexcept {
    skip_space();
    if (at_ == end_) return JsonType::nothing;
    switch (*at_) {
        case '{': return JsonType::object;
        case '[': return JsonType::array;
        case '"': return JsonType::string;
        case 't':
        case 'f': return JsonType::truth;
        case 'n': return JsonType::null;
        default: return *at_ == '-' || is_digit(*at_) ? JsonType::number : JsonType::nothing;
    }
}

Trouble JsonScan::skip_escape() noexcept {
    if (++at_ == end_) return too_short;
    const char kind = *at_++;
    if (kind != 'u')
        return std::string_view{"\"\\/bfnrt"}.find(kind) != std::string_view::npos ? fine : no_json;
    for (int i = 0; i < 4; ++i, ++at_) {
        if (at_ == end_) return too_short;
        if (!is_hex(*at_)) return no_json;
    }
    return fine;
}

Trouble JsonScan::skip_string(std::string_view& inside, bool& escaped) noexcept {
    skip_space();
    if (at_ == end_ || *at_ != '"') return at_ == end_ ? too_short : other_type;
    const char* const begin = ++at_;
    escaped = false;
    for (;;) {
        at_ = end_of_plain_text(at_, end_);
        if (at_ == end_) return too_short;
        if (*at_ == '"') break;
        if (*at_ != '\\') return "a control character stands in a string";
        escaped = true;
        if (const Trouble trouble = skip_escape()) return trouble;
    }
    inside = {begin, static_cast<std::size_t>(at_++ - begin)};
    return fine;
}

bool JsonScan::skip_digits() noexcept {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
}

Trouble JsonScan::skip_number() noexcept {
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0') ++at_;
    else if (!skip_digits()) return no_number;
    if (at_ != end_ && *at_ == '.') {
        ++at_;
        if (!skip_digits()) return no_number;
    }
    if (at_ == end_ || (*at_ != 'e' && *at_ != 'E')) return fine;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    return skip_digits() ? fine : no_number;
}

Trouble JsonScan::skip_word(std::string_view word) noexcept {
    if (!std::string_view{at_, static_cast<std::size_t>(end_ - at_)}.starts_with(word))
        return no_json;
    at_ += word.size();
    return fine;
}

// As `members` and `elements` do, without asking anybody.
Trouble JsonScan::skip_container() {
    const bool named = *at_++ == '{';
    const char close = named ? '}' : ']';
    if (++level_ > deepest_json) return too_deep;
    if (!take(close)) {
        do {
            std::string_view name;
            bool escaped = false;
            if (named) {
                if (const Trouble trouble = skip_string(name, escaped))
                    return trouble == other_type ? no_json : trouble;
                if (!take(':')) return at_ == end_ ? too_short : no_json;
            }
            if (const Trouble trouble = skip_value()) return trouble;
        } while (take(','));
        if (!take(close)) return at_ == end_ ? too_short : no_json;
    }
    --level_;
    return fine;
}

Trouble JsonScan::skip_value() {
    std::string_view inside;
    bool escaped = false;
    switch (next()) {
        case JsonType::nothing: return at_ == end_ ? too_short : no_json;
        case JsonType::null: return skip_word("null");
        case JsonType::truth: return skip_word(*at_ == 't' ? "true" : "false");
        case JsonType::number: return skip_number();
        case JsonType::string: return skip_string(inside, escaped);
        case JsonType::array:
        case JsonType::object: break;
    }
    return skip_container();
}

Trouble JsonScan::read_name(std::string_view& name) {
    bool escaped = false;
    if (const Trouble trouble = skip_string(name, escaped))
        return trouble == other_type ? no_json : trouble;
    if (!take(':')) return at_ == end_ ? too_short : no_json;
    skip_space();
    if (!escaped) return fine;
    unescaped_name_.clear();
    append_unescaped(unescaped_name_, name);
    name = unescaped_name_;
    return fine;
}

Trouble JsonScan::members(FunctionRef<Trouble(std::string_view name)> each) {
    if (!take('{')) return at_ == end_ ? too_short : other_type;
    if (++level_ > deepest_json) return too_deep;
    if (!take('}')) {
        do {
            std::string_view name;
            if (const Trouble trouble = read_name(name)) return trouble;
            const char* const begin = at_;
            if (const Trouble trouble = each(name)) return trouble;
            if (at_ == begin)
                if (const Trouble trouble = skip_value()) return trouble;
        } while (take(','));
        if (!take('}')) return at_ == end_ ? too_short : no_json;
    }
    --level_;
    return fine;
}

Trouble JsonScan::elements(FunctionRef<Trouble()> each) {
    if (!take('[')) return at_ == end_ ? too_short : other_type;
    if (++level_ > deepest_json) return too_deep;
    if (!take(']')) {
        do {
            skip_space();
            const char* const begin = at_;
            if (const Trouble trouble = each()) return trouble;
            if (at_ == begin)
                if (const Trouble trouble = skip_value()) return trouble;
        } while (take(','));
        if (!take(']')) return at_ == end_ ? too_short : no_json;
    }
    --level_;
    return fine;
}

Trouble JsonScan::raw(std::string_view& json) {
    skip_space();
    const char* const begin = at_;
    if (const Trouble trouble = skip_value()) return trouble;
    json = {begin, static_cast<std::size_t>(at_ - begin)};
    return fine;
}

Trouble JsonScan::string(std::string& text) {
    std::string_view inside;
    bool escaped = false;
    if (const Trouble trouble = skip_string(inside, escaped)) return trouble;
    text.clear();
    if (escaped) append_unescaped(text, inside);
    else text = inside;
    return fine;
}

Trouble JsonScan::integer(std::int64_t& number) {
    if (next() != JsonType::number) return at_ == end_ ? too_short : other_type;
    std::string_view json;
    if (const Trouble trouble = raw(json)) return trouble;
    const char* const end = json.data() + json.size();
    const auto read = std::from_chars(json.data(), json.data() + json.size(), number);
    return read.ec == std::errc{} && read.ptr == end ? fine : no_number;
}

Trouble JsonScan::real(double& number) {
    if (next() != JsonType::number) return at_ == end_ ? too_short : other_type;
    std::string_view json;
    if (const Trouble trouble = raw(json)) return trouble;
    const char* const end = json.data() + json.size();
    const auto read = std::from_chars(json.data(), json.data() + json.size(), number);
    return read.ec == std::errc{} && read.ptr == end ? fine : no_number;
}

Trouble JsonScan::truth(bool& value) {
    if (next() != JsonType::truth) return at_ == end_ ? too_short : other_type;
    value = *at_ == 't';
    return skip_value();
}

Trouble JsonScan::end() noexcept {
    skip_space();
    return at_ == end_ ? fine : "something stands behind it";
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
