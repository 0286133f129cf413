// SPDX-License-Identifier: Apache-2.0
//
// Writes the sample pages into a folder, for the browser test and for people who want to look.
#include <cstdio>
#include <fstream>

#include "page_samples.hpp"

int main(int count, char** words) {
    if (count != 2) return std::fputs("usage: perdure_page_samples FOLDER\n", stderr), 2;
    const std::string folder = words[1];
    std::ofstream{folder + "/storm.html"} << tool::samples::storm().html();
    std::ofstream{folder + "/big.html"} << tool::samples::big().html();
    std::ofstream{folder + "/hostile.html"} << tool::samples::hostile().html();
}
