// SPDX-License-Identifier: Apache-2.0
//
// Text that is safe to write to a terminal: whatever a file, a server or an argument put into it, it
// moves no cursor, sets no title and turns no line around.
//
//     visible("a\x1b[2Jb")    // "a\u001b[2Jb"
#pragma once

#include <string>
#include <string_view>

namespace tool {

// Control characters (C0 but line feed, tab and CR LF; DEL; C1) and those that override the direction of
// text become \u001b, bytes that are not UTF-8 \x9b. The first form is an escape of JSON too: a
// line of JSON stays one with the same values.
[[nodiscard]] std::string visible(std::string_view text);

// A name and password in a URL become ***: a URL that is given in the wrong place, such as for a file, is
// repeated by the message about it.
//
//     without_passwords("no file http://me:pw@host/")    // "no file http://***@host/"
//
// A password that holds a blank or a quote is not known as one: it must be percent-encoded. In doubt
// more is left out, so this is for words and not for data.
[[nodiscard]] std::string without_passwords(std::string_view text);

// How many bytes the UTF-8 character at the front of `text`, which is not empty, has; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

}  // namespace tool
