// SPDX-License-Identifier: Apache-2.0
//
// What does a worker take from the input at once? Some whole records, as the bytes they are, with the
// place each was found at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/content_hash.hpp"

namespace tool::load {

enum class Format : std::uint8_t { json_lines, csv, json_array };

// One record's bytes within the batch, without the line end; of an array, without the comma.
struct Slice {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t line = 0;    // the first of its lines, from 1
    bool too_long = false;     // only its beginning is here
    bool unfinished = false;   // the input ended inside of its quotes
    std::string_view fault{};  // what is wrong with its place in an array, a literal; or nothing
};

// Offsets count bytes of the unpacked input from its start. [begin, end) of two batches of one source
// never overlap, and batches that follow each other touch: blank lines belong to the batch. A record
// too long is the last of its batch. A batch of nothing but very many blank lines has no records.
struct Batch {
    std::size_t source = 0;  // its number in the list of sources
    Format format = Format::json_lines;
    char separator = ',';  // of CSV
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t first_line = 1;
    std::uint64_t lines = 0;  // line ends within
    std::string bytes{};      // from begin to end; but of a record too long, only its beginning
    std::vector<Slice> records{};
    ContentHash before{};    // of all bytes of the input before `begin`
    ContentDigest digest{};  // of all bytes of the input before `end`

    [[nodiscard]] std::string_view text(const Slice& slice) const noexcept {
        return std::string_view{bytes}.substr(slice.begin, slice.end - slice.begin);
    }
    [[nodiscard]] std::uint64_t offset(const Slice& slice) const noexcept {
        return begin + slice.begin;
    }
};

struct BatchLimits {
    std::size_t records = 1000;
    std::size_t bytes = std::size_t{1} << 20u;  // a longer record is a batch by itself
    std::uint64_t until = UINT64_MAX;  // an offset where a record begins, from a batch before
};

}  // namespace tool::load
