// SPDX-License-Identifier: Apache-2.0
//
// Where does an element of a JSON array end? Found by strings, braces and brackets only; whether the
// element is JSON is decided later, by its reader.
//
// An array is split into pieces: a comma with spaces around it, then the element. A piece ends right
// behind its element, before the next comma or the closing bracket, so that everything up to there stays
// the same when the array is exported again with more elements. Pieces are the same from wherever a
// search begins, because the byte before a piece says what may come: '[' the first element, ',' an
// element, anything else a comma.
//
//     ArraySeam seam{.before = '['};
//     while (find_element(text, seam) == ArrayFound::more) …a longer text, with the same seam…;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tool::load {

// How far the search in one piece has come. Offsets are those of the text, which begins with the piece.
struct ArraySeam {
    enum class Stage : std::uint8_t { lead, behind_comma, element, string, word, closed };

    char before = '[';
    Stage stage = Stage::lead;
    bool escaped = false;  // the text ended behind a backslash
    std::size_t at = 0;
    std::size_t lines = 0;        // line ends before `at`
    std::size_t begin = 0;        // of the element
    std::size_t begin_lines = 0;  // line ends before it
    std::size_t depth = 0;        // braces and brackets that are open
    std::string_view fault{};     // what is wrong with its place in the array; empty: nothing
};

enum class ArrayFound : std::uint8_t {
    more,         // the text ends first; seam.stage is `closed` where the array is
    element,      // it ends at seam.at
    text_behind,  // the closing bracket is followed by more than spaces
};

[[nodiscard]] ArrayFound find_element(std::string_view text, ArraySeam& seam) noexcept;

}  // namespace tool::load
