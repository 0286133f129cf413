// SPDX-License-Identifier: Apache-2.0
#include "load/source/json_record_fault.hpp"

#include <string>

namespace tool::load {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_hex(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class Walk {
public:
    explicit Walk(std::string_view text) : text_{text} {}

    JsonScan value();
    void spaces() noexcept {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
    }
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    [[nodiscard]] NumberForm number() noexcept;

private:
    [[nodiscard]] char front() const noexcept { return at_end() ? '\0' : text_[at_]; }
    bool take(char c) noexcept {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool digits() noexcept {
        const std::size_t from = at_;
        while (is_digit(front())) ++at_;
        return at_ > from;
    }
    bool word(std::string_view word) noexcept;
    std::string_view string() noexcept;
    std::string_view escape() noexcept;
    std::string_view name() noexcept;
    std::string_view scalar() noexcept;
    std::string_view open_or_scalar();
    std::string_view after_value();

    std::string_view text_;
    std::size_t at_ = 0;
    std::string open_{};  // brackets, the innermost last
    bool wants_value_ = true;
};

bool Walk::word(std::string_view word) noexcept {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
}

NumberForm Walk::number() noexcept {
    NumberForm form = NumberForm::integer;
    take('-');
    if (!take('0') && !digits()) return NumberForm::none;
    if (take('.')) {
        form = NumberForm::real;
        if (!digits()) return NumberForm::none;
    }
    if (take('e') || take('E')) {
        form = NumberForm::real;
        if (!take('+')) take('-');
        if (!digits()) return NumberForm::none;
    }
    return form;
}

std::string_view Walk::escape() noexcept {
    if (at_end() || std::string_view{"\"\\/bfnrtu"}.find(text_[at_]) == std::string_view::npos)
        return "one of \"\\/bfnrtu after a backslash";
    if (text_[at_++] != 'u') return {};
    for (int i = 0; i < 4; ++i, ++at_)
        if (!is_hex(front())) return "four hexadecimal digits";
    return {};
}

std::string_view Walk::string() noexcept {
    ++at_;
    for (;;) {
        if (at_end()) return "a closing quote";
        const char c = text_[at_];
        if (static_cast<unsigned char>(c) < 0x20) return "an escape for a control character";
        ++at_;
        if (c == '"') return {};
        if (c != '\\') continue;
        if (const auto wrong = escape(); !wrong.empty()) return wrong;
    }
}

std::string_view Walk::name() noexcept {
    spaces();
    if (front() != '"') return "a field's name";
    if (const auto wrong = string(); !wrong.empty()) return wrong;
    spaces();
    return take(':') ? std::string_view{} : "':'";
}

std::string_view Walk::scalar() noexcept {
    if (front() == '"') return string();
    if (front() == '-' || is_digit(front()))
        return number() == NumberForm::none ? "a digit" : std::string_view{};
    return word("true") || word("false") || word("null") ? std::string_view{} : "a value";
}

std::string_view Walk::open_or_scalar() {
    spaces();
    wants_value_ = false;
    const char bracket = front();
    if (bracket != '{' && bracket != '[') return scalar();
    ++at_;
    open_ += bracket;
    spaces();
    if (front() == (bracket == '{' ? '}' : ']')) return {};
    wants_value_ = true;
    return bracket == '{' ? name() : std::string_view{};
}

std::string_view Walk::after_value() {
    spaces();
    const bool object = open_.back() == '{';
    if (take(object ? '}' : ']')) {
        open_.pop_back();
        return {};
    }
    if (!take(',')) return object ? "',' or '}'" : "',' or ']'";
    wants_value_ = true;
    return object ? name() : std::string_view{};
}

JsonScan Walk::value() {
    do {
        const std::string_view wrong = wants_value_ ? open_or_scalar() : after_value();
        if (!wrong.empty()) return {at_, wrong};
    } while (wants_value_ || !open_.empty());
    return {at_, {}};
}

}  // namespace

JsonScan scan_json(std::string_view text) { return Walk{text}.value(); }

JsonScan scan_whole_json(std::string_view text) {
    Walk walk{text};
    JsonScan scan = walk.value();
    if (!scan.good()) return scan;
    walk.spaces();
    if (!walk.at_end()) return {walk.at(), "nothing more"};
    return scan;
}

NumberForm number_form(std::string_view text) noexcept {
    Walk walk{text};
    const NumberForm form = walk.number();
    return walk.at_end() ? form : NumberForm::none;
}

}  // namespace tool::load
