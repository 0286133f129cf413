// SPDX-License-Identifier: Apache-2.0
//
// What do a query and a list give at a time? A page may be empty and still not be the last.
#pragma once

#include <string>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
struct Page {
    std::vector<std::string> documents{};  // JSON, each as it came
    std::string next{};                    // where the next page begins; empty: this is the last
    double charge = 0;                     // request units of the answer
    std::string metrics{};                 // if they were asked for: name=value;…
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
