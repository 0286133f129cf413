// SPDX-License-Identifier: Apache-2.0
//
// Which numbers does a page carry for its script? One JSON object: the charts, and the x values of
// their lines, which are mostly the same and so are kept once.
//
//     ChartNumbers numbers;
//     const std::size_t place = numbers.add(chart);   // the script looks for data-chart="place"
//     script = numbers.json();                        // {"xs":[[0,1,2]],"charts":[{…"x":0,"y":[…]}]}
#pragma once

#include <string>
#include <vector>

#include "page/page_blocks.hpp"

namespace tool {

// One owner.
class ChartNumbers {
public:
    std::size_t add(const Chart& chart);
    std::size_t add(const Histogram& chart);
    std::size_t add(const Multiples& chart);
    [[nodiscard]] std::string json() const;

private:
    std::size_t keep(std::string chart);
    std::string line(const Line& line, Order order);
    std::string lines(const std::vector<Line>& lines, Order order);
    std::string panel(const Panel& panel);
    std::size_t x_values(std::string json);
    std::vector<std::string> xs_;
    std::vector<std::string> charts_;
};

}  // namespace tool
