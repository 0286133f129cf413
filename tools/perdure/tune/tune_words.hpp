// SPDX-License-Identifier: Apache-2.0
//
// How are the tuner's numbers written?
//
//     grouped(12345)          // "12 345"
//     percent(0.00123)        // "0.12 %"
//     cpp_text(21400us)       // "21400us": as C++ reads it
#pragma once

#include <cstdint>
#include <string>

#include "perdure/duration.hpp"

namespace tool {

using namespace perdure;

std::string grouped(std::uint64_t number);
std::string percent(double share);               // two digits; "0 %" for none
std::string decimal(double number, int digits);  // so many that matter
std::string percentile_name(double above);       // 0.001: "p99.9"
std::string short_words(Duration width);         // "15 min"
std::string minute_of(WallTime at);              // "2026-11-16 14:00"
std::string cpp_text(Duration wait);

// Upwards, to three digits: what a person would write into a plan.
Duration rounded_up(Duration wait);
Duration rounded_down(Duration wait, int digits);

double in_ms(Duration wait);

}  // namespace tool
