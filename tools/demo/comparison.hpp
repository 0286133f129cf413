// SPDX-License-Identifier: Apache-2.0
//
// What is really in the table? Read back row by row and held against the file, by nobody who took part
// in the loading.
//
//     const auto found = compare(source, "naive.db");
//     found->lost, found->doubled
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orders.hpp"
#include "perdure/result.hpp"

namespace demo {

struct Comparison {
    std::uint64_t rows = 0;
    std::uint64_t exact = 0;      // orders that are there once, value for value
    std::uint64_t lost = 0;       // orders that are not there
    std::uint64_t doubled = 0;    // rows too many
    std::uint64_t altered = 0;    // rows with an order's id and other values
    std::uint64_t strangers = 0;  // rows of broken lines, or of none

    [[nodiscard]] bool good() const noexcept {
        return lost == 0 && doubled == 0 && altered == 0 && strangers == 0;
    }
};

Result<Comparison> compare(const Source& source, const std::string& database);

// Lines that a loader said it rejected, and how many of the broken ones are among them.
struct Rejections {
    std::uint64_t right = 0;
    std::uint64_t wrong = 0;  // lines that were good
    std::vector<std::string> reasons{};
};

// Of the side file of `perdure load`, and of the naive loader's log.
Rejections rejected_by_perdure(const Source& source, const std::string& side_file);
Rejections rejected_by_naive(const Source& source, const std::string& log);

// How many lines of a file hold this text; a line with several counts as often.
std::uint64_t occurrences(const std::string& path, std::string_view text);

}  // namespace demo
