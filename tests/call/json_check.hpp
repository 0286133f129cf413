// SPDX-License-Identifier: Apache-2.0
//
// Is it JSON? For tests that only want to know that.
#pragma once

#include <algorithm>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace testing {

// Whether `text` is one JSON value, and nothing else. Small, strict, and only for tests.
class JsonCheck {
public:
    explicit JsonCheck(std::string_view text) : rest_{text} {}
    bool sound() { return value() && rest_.empty(); }

private:
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool word(std::string_view expected) {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    bool text() {
        if (!take('"')) return false;
        while (!rest_.empty() && rest_[0] != '"') {
            if (static_cast<unsigned char>(rest_[0]) < 0x20) return false;
            rest_.remove_prefix(rest_[0] == '\\' ? 2 : 1);
        }
        return take('"');
    }
    bool digits() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        rest_.remove_prefix(count);
        return count != 0;
    }
    bool number() {
        (void)take('-');
        if (!digits() || (take('.') && !digits())) return false;
        if (!take('e') && !take('E')) return true;
        if (!take('-')) (void)take('+');
        return digits();
    }
    bool list(char close, bool named) {
        if (take(close)) return true;
        do {
            if (named && !(text() && take(':'))) return false;
            if (!value()) return false;
        } while (take(','));
        return take(close);
    }
    bool value() {
        if (take('{')) return list('}', true);
        if (take('[')) return list(']', false);
        if (rest_.starts_with('"')) return text();
        return word("true") || word("false") || number();
    }

    std::string_view rest_;
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
