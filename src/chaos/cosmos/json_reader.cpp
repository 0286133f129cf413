// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// Used by one thread, for one text.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) noexcept : text_{text} {}

    std::optional<Json> whole() {
        Json value;
        if (!read(value, 0)) return std::nullopt;
        skip_space();
        if (at_ != text_.size()) return std::nullopt;
        return value;
    }

private:
    static constexpr int deepest = 128;

    [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_space() noexcept {
        while (at_ < text_.size() && std::string_view{" \t\r\n"}.find(text_[at_]) < 4) ++at_;
    }
    bool take(char c) noexcept {
        skip_space();
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool word(std::string_view word, Json& into, Json::Type type) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        into.type_ = type;
        return true;
    }

    bool read(Json& into, int depth);
    bool read_number(Json& into);
    bool read_string(std::string& into);
    bool read_escape(std::string& into);
    bool read_hex(unsigned& code) noexcept;
    bool read_array(Json& into, int depth);
    bool read_object(Json& into, int depth);

    std::string_view text_;
    std::size_t at_ = 0;
};

namespace {

void append_utf8(std::string& into, unsigned code) {
    const auto byte = [&](unsigned value) { into += static_cast<char>(value); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) return byte(0xC0U | code >> 6U), byte(0x80U | (code & 0x3FU));
    if (code < 0x10000) byte(0xE0U | code >> 12U);
    else byte(0xF0U | code >> 18U), byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
}

}  // namespace

bool JsonReader::read(Json& into, int depth) {
    if (depth > deepest) return false;
    skip_space();
    switch (peek()) {
        case 'n': return word("null", into, Json::Type::null);
        case 't': return word("true", into, Json::Type::yes);
        case 'f': return word("false", into, Json::Type::no);
        case '"': into.type_ = Json::Type::string; return read_string(into.text_);
        case '[': return read_array(into, depth);
        case '{': return read_object(into, depth);
        default: return read_number(into);
    }
}

bool JsonReader::read_number(Json& into) {
    const std::size_t from = at_;
    const auto digits = [&] {
        const std::size_t first = at_;
        while (is_digit(peek())) ++at_;
        return at_ > first;
    };
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    const std::size_t first = at_;
    if (!digits() || (zero && at_ > first + 1)) return false;
    if (peek() == '.') {
        ++at_;
        if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
        ++at_;
        if (peek() == '+' || peek() == '-') ++at_;
        if (!digits()) return false;
    }
    into.type_ = Json::Type::number;
    into.text_ = text_.substr(from, at_ - from);
    return true;
}

bool JsonReader::read_string(std::string& into) {
    for (++at_; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '"') return ++at_, true;
        if (static_cast<unsigned char>(c) < 0x20) return false;
        if (c != '\\') into += c;
        else if (!read_escape(into)) return false;
    }
    return false;
}

bool JsonReader::read_hex(unsigned& code) noexcept {
    if (text_.size() - at_ < 5) return false;
    const char* first = text_.data() + at_ + 1;
    const auto [end, error] = std::from_chars(first, first + 4, code, 16);
    if (error != std::errc{} || end != first + 4) return false;
    at_ += 4;
    return true;
}

// Stands on the backslash, and afterwards on the last character of the escape.
bool JsonReader::read_escape(std::string& into) {
    if (++at_ >= text_.size()) return false;
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (const auto which = names.find(text_[at_]); which != std::string_view::npos)
        return into += meanings[which], true;
    unsigned code = 0;
    if (text_[at_] != 'u' || !read_hex(code)) return false;
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
        at_ += 2;
        unsigned low = 0;
        if (!read_hex(low) || low < 0xDC00 || low >= 0xE000) return false;
        code = 0x10000U + ((code - 0xD800U) << 10U) + (low - 0xDC00U);
    }
    append_utf8(into, code);
    return true;
}

bool JsonReader::read_array(Json& into, int depth) {
    into.type_ = Json::Type::array;
    ++at_;
    if (take(']')) return true;
    do {
        if (!read(into.elements_.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
}

bool JsonReader::read_object(Json& into, int depth) {
    into.type_ = Json::Type::object;
    ++at_;
    if (take('}')) return true;
    do {
        skip_space();
        std::string name;
        if (peek() != '"' || !read_string(name) || !take(':')) return false;
        Json value;
        if (!read(value, depth + 1)) return false;
        into.set(name, std::move(value));
    } while (take(','));
    return take('}');
}

std::optional<Json> Json::parse(std::string_view text) { return JsonReader{text}.whole(); }

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
