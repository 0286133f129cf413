// SPDX-License-Identifier: Apache-2.0
//
// How are counts written for Prometheus? Family by family, in the text format 0.0.4.
#pragma once

#include <string>
#include <vector>

#include "series.hpp"

namespace perdure {
inline namespace v0 {

// Samples that are zero are left out. Any thread.
std::string exposition(std::vector<const Series*> all,
                       std::vector<const DependencyGauges*> dependencies);

}  // namespace v0
}  // namespace perdure
