// SPDX-License-Identifier: Apache-2.0
#include "placeholders.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

constexpr int most_placeholders = 65'535;  // the protocol counts them in 16 bits

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Letters of other alphabets are bytes beyond ASCII.
bool starts_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool is_word(char c) noexcept { return starts_word(c) || is_digit(c) || c == '$'; }

enum class Backslashes : std::uint8_t { plain, escape };

Fail refused_placeholders(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "placeholders",
                 .message = std::move(message)});
}

// Walks through a statement and copies it; what is no placeholder is copied as it is.
class Walker {
public:
    explicit Walker(std::string_view text) : text_{text} { out_.reserve(text.size() + 16); }

    Result<Translated> walk();

private:
    [[nodiscard]] char at(std::size_t i) const noexcept {
        return i < text_.size() ? text_[i] : '\0';
    }
    [[nodiscard]] bool after_word() const noexcept {
        return next_ > 0 && is_word(text_[next_ - 1]);
    }
    [[nodiscard]] Backslashes backslashes_here() const noexcept;
    void copy_to(std::size_t end);
    void quoted(char quote, Backslashes backslashes);
    void line_comment() { copy_to(std::min(text_.find('\n', next_), text_.size())); }
    void block_comment();
    Result<void> dollar();
    Result<void> question();

    std::string_view text_;
    std::size_t next_ = 0;
    std::string out_;
    int asked_ = 0;   // by ?
    int native_ = 0;  // the highest $n
};

void Walker::copy_to(std::size_t end) {
    out_.append(text_.substr(next_, end - next_));
    next_ = end;
}

// E'…' knows backslashes; the E must be a word of its own.
Backslashes Walker::backslashes_here() const noexcept {
    if (next_ == 0 || (text_[next_ - 1] != 'e' && text_[next_ - 1] != 'E'))
        return Backslashes::plain;
    return next_ == 1 || !is_word(text_[next_ - 2]) ? Backslashes::escape : Backslashes::plain;
}

// A doubled quote stands for one inside.
void Walker::quoted(char quote, Backslashes backslashes) {
    std::size_t end = next_ + 1;
    for (; end < text_.size(); ++end) {
        const bool pair = text_[end] == quote && at(end + 1) == quote;
        if (pair || (text_[end] == '\\' && backslashes == Backslashes::escape)) ++end;
        else if (text_[end] == quote) break;
    }
    copy_to(std::min(end + 1, text_.size()));
}

void Walker::block_comment() {
    std::size_t end = next_ + 2;
    for (int depth = 1; depth > 0 && end < text_.size();) {
        if (at(end) == '/' && at(end + 1) == '*') {
            ++depth;
            end += 2;
        } else if (at(end) == '*' && at(end + 1) == '/') {
            --depth;
            end += 2;
        } else {
            ++end;
        }
    }
    copy_to(std::min(end, text_.size()));
}

// $1, $tag$…$tag$, or a dollar inside of a name.
Result<void> Walker::dollar() {
    std::size_t end = next_ + 1;
    if (after_word()) {
        copy_to(end);
        return {};
    }
    if (is_digit(at(end))) {
        int number = 0;
        const auto read = std::from_chars(&text_[end], text_.data() + text_.size(), number);
        if (read.ec != std::errc{} || number < 1 || number > most_placeholders)
            return refused_placeholders("a placeholder's number lies between $1 and $65535");
        native_ = std::max(native_, number);
        copy_to(static_cast<std::size_t>(read.ptr - text_.data()));
        return {};
    }
    while (is_word(at(end)) && at(end) != '$') ++end;
    if (at(end) != '$') {
        copy_to(next_ + 1);
        return {};
    }
    const std::string_view tag = text_.substr(next_, end + 1 - next_);
    const std::size_t close = text_.find(tag, end + 1);
    copy_to(close == std::string_view::npos ? text_.size() : close + tag.size());
    return {};
}

Result<void> Walker::question() {
    if (at(next_ + 1) == '?') {
        out_ += '?';
        next_ += 2;
        return {};
    }
    if (is_word(at(next_ + 1)))
        return refused_placeholders("a placeholder is a ? alone, without number or name");
    if (++asked_ > most_placeholders)
        return refused_placeholders("a statement has 65535 placeholders at most");
    out_ += '$';
    out_ += std::to_string(asked_);
    ++next_;
    return {};
}

Result<Translated> Walker::walk() {
    while (next_ < text_.size()) {
        Result<void> done{};
        switch (text_[next_]) {
            case '\'': quoted('\'', backslashes_here()); break;
            case '"': quoted('"', Backslashes::plain); break;
            case '$': done = dollar(); break;
            case '?': done = question(); break;
            case '-': at(next_ + 1) == '-' ? line_comment() : copy_to(next_ + 1); break;
            case '/': at(next_ + 1) == '*' ? block_comment() : copy_to(next_ + 1); break;
            default: copy_to(next_ + 1);
        }
        if (!done) return done.take_failure();
    }
    if (asked_ > 0 && native_ > 0)
        return refused_placeholders("placeholders are written ? or $1, not both in one statement");
    return Translated{std::move(out_), std::max(asked_, native_)};
}

}  // namespace

Result<Translated> translate(std::string_view statement) { return Walker{statement}.walk(); }

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
