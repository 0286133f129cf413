// SPDX-License-Identifier: Apache-2.0
//
// Where are the page's own files at run time? In the program: page/embed.cmake writes them into a
// source file when the build is configured.
#pragma once

#include <string_view>

namespace tool {

std::string_view page_template();     // page/page.html
std::string_view page_style();        // page/*.css
std::string_view page_script();       // page/*.js, in the order in which they are needed
std::string_view page_script_hash();  // its SHA-256 in base64, for the page's policy

}  // namespace tool
