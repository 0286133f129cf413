// SPDX-License-Identifier: Apache-2.0
//
// How is a tuner's report shown? To people, to programs, and as a page to keep.
#pragma once

#include <string>
#include <vector>

#include "tune/tune_report.hpp"

namespace tool {

std::string as_text(const TuneReport& report);
std::string as_json(const TuneReport& report);
std::string as_page(const TuneReport& report);

// --- shared by text and page ---

// What to do, most important first; never empty.
std::vector<std::string> advice_of(const TuneReport& report);
// "a slowdown or burst that brings …"
std::string tipping_words(const TippingReport& tipping);
std::string ground_words(const TuneReport& report);
std::string samples_words(const TuneReport& report);

}  // namespace tool
