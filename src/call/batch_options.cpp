// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/batch_options.hpp"

namespace perdure {
inline namespace v0 {

std::vector<Finding> validate(const BatchOptions& options) {
    std::vector<Finding> found;
    const auto problem = [&](bool wrong, const char* field, const char* text) {
        if (wrong) found.push_back({Severity::problem, field, text});
    };
    const auto& [most, least, first, shrink, grow] = options.parallel;
    problem(options.chunk_items == 0, "chunk_items", "is 0; a chunk holds at least one item");
    problem((options.chunk_bytes > 0 || options.largest_item > 0) && !options.size_of, "size_of",
            "is missing; chunk_bytes and largest_item need the size of each item");
    problem(least < 1, "parallel.least", "is below 1; at least one send goes out at a time");
    problem(most < least, "parallel.most", "is below parallel.least");
    problem(first < 0 || first > most, "parallel.first", "must lie between 0 and parallel.most");
    problem(!(shrink > 0 && shrink < 1), "parallel.shrink", "must lie between 0 and 1");
    problem(!(grow >= 0 && grow <= 1e6), "parallel.grow", "must lie between 0 and 1000000");
    return found;
}

}  // namespace v0
}  // namespace perdure
