# SPDX-License-Identifier: Apache-2.0
#
# Writes the files of a report page into a source file, byte by byte, and names that file in
# PERDURE_PAGE_ASSETS. Done when the build is configured, which a change of one of them repeats.
set(page_folder ${CMAKE_CURRENT_LIST_DIR})
# In reading order; the one that starts everything is the last.
set(page_scripts
    format scale colours svg drawing overlays readers panel hover legend tables chart start)

# The bytes of the files as the inside of an array of char.
function(perdure_page_bytes result)
    set(all)
    foreach(name IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_folder}/${name})
        file(READ ${page_folder}/${name} hex HEX)
        string(APPEND all ${hex})
    endforeach()
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," all "${all}")
    # Editors and compilers alike are slow on one line of half a megabyte.
    string(REPEAT "'[^']*'," 16 row)
    string(REGEX REPLACE "(${row})" "\\1\n" all "${all}")
    set(${result} "${all}" PARENT_SCOPE)
endfunction()

# The SHA-256 of the files one after the other, in base64, which CMake has not.
function(perdure_page_hash result)
    set(all)
    foreach(name IN LISTS ARGN)
        file(READ ${page_folder}/${name} text)
        string(APPEND all "${text}")
    endforeach()
    string(SHA256 hex "${all}")
    set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
    set(base64)
    # Three bytes are four characters; of the last group there are two, filled up with zeros.
    foreach(group RANGE 10)
        math(EXPR at "6 * ${group}")
        string(SUBSTRING "${hex}00" ${at} 6 digits)
        foreach(shift IN ITEMS 18 12 6 0)
            math(EXPR index "(0x${digits} >> ${shift}) & 63")
            string(SUBSTRING ${alphabet} ${index} 1 character)
            string(APPEND base64 ${character})
        endforeach()
    endforeach()
    string(REGEX REPLACE "A$" "=" base64 ${base64})
    set(${result} ${base64} PARENT_SCOPE)
endfunction()

perdure_page_bytes(page_template_bytes page.html)
# What is for small screens and for paper stands in page.css and has the last word.
perdure_page_bytes(page_style_bytes charts.css page.css)
list(TRANSFORM page_scripts APPEND .js)
perdure_page_bytes(page_script_bytes ${page_scripts})
perdure_page_hash(page_script_hash ${page_scripts})

set(PERDURE_PAGE_ASSETS ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
# Leaves the file alone if nothing changed.
file(CONFIGURE OUTPUT ${PERDURE_PAGE_ASSETS} @ONLY CONTENT [[
// Written by page/embed.cmake.
#include "page/page_assets.hpp"
namespace tool {
namespace {
constexpr char the_template[] = {@page_template_bytes@};
constexpr char the_style[] = {@page_style_bytes@};
constexpr char the_script[] = {@page_script_bytes@};
}
std::string_view page_template() { return {the_template, sizeof the_template}; }
std::string_view page_style() { return {the_style, sizeof the_style}; }
std::string_view page_script() { return {the_script, sizeof the_script}; }
std::string_view page_script_hash() { return "@page_script_hash@"; }
}
]])
set_source_files_properties(${PERDURE_PAGE_ASSETS} PROPERTIES GENERATED ON)
