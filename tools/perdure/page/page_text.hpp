// SPDX-License-Identifier: Apache-2.0
//
// How does text from anywhere get into a page without becoming part of its markup?
//
//     html += "<h1>" + html_text(title) + "</h1>";
//     html += "<p>" + html_prose("Use `--budget`, **not** more attempts.") + "</p>";
#pragma once

#include <string>
#include <string_view>

namespace tool {

// Good between tags and in quoted attributes. Control characters but tab and line end are dropped.
std::string html_text(std::string_view text);

// As html_text, with `code` and **strong** marked up. A mark without its partner stays as it is.
std::string html_prose(std::string_view text);

// Prose in <p>…</p>, divided at empty lines.
std::string html_paragraphs(std::string_view text);

// JSON that may stand in a script element: nothing in it can end the element or the line.
std::string script_safe(std::string_view json);

// For people, in the same way as the page's own script: "1,235", "12.35", "8.1 ms" for unit "s".
std::string number_text(double value, std::string_view unit);

// For the script: the shortest JSON number with that many digits; null if there is none.
std::string number_json(double value, int digits);

}  // namespace tool
