// SPDX-License-Identifier: Apache-2.0
//
// In which order does the demonstration go? Orders are written, loaded by one loader and by the other,
// compared, and told of.
#pragma once

#include <cstdint>
#include <string>

namespace demo {

struct ShowOptions {
    std::uint64_t records = 100000;
    std::uint64_t seed = 1;
    std::string folder = "perdure-demo";
    std::string report{};  // empty: in the folder
};

// An exit status.
int show(const ShowOptions& options);

}  // namespace demo
