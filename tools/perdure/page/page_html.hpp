// SPDX-License-Identifier: Apache-2.0
//
// What does each block look like as HTML? Complete without the script, but for the lines of charts.
//
//     BlockWriter writer;
//     for (const Block& block : blocks) std::visit(writer, block);
#pragma once

#include <string>

#include "page/page_blocks.hpp"
#include "page/page_numbers.hpp"

namespace tool {

// One owner.
struct BlockWriter {
    std::string html{};
    ChartNumbers numbers{};

    void operator()(const Headline& block);
    void operator()(const Text& block);
    void operator()(const Code& block);
    void operator()(const Table& block);
    void operator()(const Details& block);
    void operator()(const Bars& block);
    void operator()(const Chart& block);
    void operator()(const Histogram& block);
    void operator()(const Multiples& block);
};

// The value as a share of the axis from low to high, 0 to 1. Ends that are not given come from the
// largest value.
double share_of(const Axis& axis, double value, double largest);

}  // namespace tool
