// SPDX-License-Identifier: Apache-2.0
//
// How is JSON read where its text must survive? Front to back, in one pass, as views into the text.
//
//     JsonScan scan{body};
//     Trouble trouble = scan.members([&](std::string_view name) {
//         if (name == "id") return scan.string(id);
//         return fine;                                  // what nobody takes is passed over
//     });
//     if (!trouble) trouble = scan.end();
//
// Own code and not simdjson: that one wants a copy with room behind it, gives no views into the
// original, and refuses whole numbers beyond 64 bits, which are ours to pass on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/call/function_ref.hpp"
#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// What is wrong with the text, in a literal's words; null: nothing.
using Trouble = const char*;
inline constexpr Trouble fine = nullptr;

enum class JsonType : std::uint8_t { nothing, null, truth, number, string, array, object };

// One thread. Whatever the text is, it is read within its bounds and at most 128 levels deep.
class JsonScan {
public:
    explicit JsonScan(std::string_view text) noexcept
        : at_{text.data()}, end_{text.data() + text.size()} {}

    // Of the value that comes next, by its first character.
    [[nodiscard]] JsonType next() noexcept;

    // Each is called where a value begins and reads it or leaves it alone. The name is unescaped, and
    // good until something else is read.
    [[nodiscard]] Trouble members(FunctionRef<Trouble(std::string_view name)> each);
    [[nodiscard]] Trouble elements(FunctionRef<Trouble()> each);
    // Over a value of any type, all of it checked.
    [[nodiscard]] Trouble skip() { return skip_value(); }
    [[nodiscard]] Trouble raw(std::string_view& json);
    [[nodiscard]] Trouble string(std::string& text);
    [[nodiscard]] Trouble integer(std::int64_t& number);
    [[nodiscard]] Trouble real(double& number);
    [[nodiscard]] Trouble truth(bool& value);
    // Nothing stands behind.
    [[nodiscard]] Trouble end() noexcept;

private:
    void skip_space() noexcept;
    Trouble skip_value();
    Trouble skip_container();
    Trouble skip_string(std::string_view& inside, bool& escaped) noexcept;
    Trouble skip_escape() noexcept;
    Trouble skip_number() noexcept;
    Trouble skip_word(std::string_view word) noexcept;
    bool skip_digits() noexcept;
    bool take(char c) noexcept;
    Trouble read_name(std::string_view& name);

    const char* at_;
    const char* end_;
    int level_ = 0;
    std::string unescaped_name_{};
};

// What stands between the quotes of a checked string. A surrogate without its other half becomes U+FFFD.
void append_unescaped(std::string& out, std::string_view inside);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// `corrupt`, "unreadable-answer": "<what> cannot be read: <trouble>".
[[nodiscard]] Failure unreadable(std::string_view what, Trouble trouble);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
