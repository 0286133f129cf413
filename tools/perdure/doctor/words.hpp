// SPDX-License-Identifier: Apache-2.0
//
// How are the doctor's numbers and names written? Names come from files: they are made fit for a
// terminal.
//
//     percent(0.0123)                       // "1.2 %"
//     list_words({"host-7", "host-9"})      // "host-7, host-9"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tool::doctor {

std::string percent(double share);  // two digits; "0 %" for none
// What is left of a whole, with as many digits as show that something is missing: "99.978 %".
std::string rest_percent(double missing);
std::string decimal(double number, int digits);  // so many that matter
std::string number_words(std::uint64_t number);  // "12 345"
std::string time_words(std::int64_t nanoseconds);
std::string utc(std::int64_t since_1970);  // nanoseconds; "2026-11-16T10:23:57.250Z"
// Control characters and bytes that are not text as \xNN; shortened.
std::string shown(std::string_view name);
std::string list_words(const std::vector<std::string>& names);  // the first few, and how many more

}  // namespace tool::doctor
