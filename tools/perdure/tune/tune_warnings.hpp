// SPDX-License-Identifier: Apache-2.0
//
// What may be wrong with the samples, or with what is done with them?
#pragma once

#include <string>
#include <vector>

namespace tool {

struct TuneReport;

// Each one a sentence or two, with the flag or the deed that helps.
std::vector<std::string> warnings_about(const TuneReport& report);

}  // namespace tool
