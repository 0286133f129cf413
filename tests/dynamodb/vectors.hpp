// SPDX-License-Identifier: Apache-2.0
//
// Where are the public test vectors? They are not part of this tree: PERDURE_SHARED names the folder
// that has them, else they are looked for in ../shared beside the sources. Who needs them and finds
// none skips and says so.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "perdure/duration.hpp"
#include "perdure/dynamodb/keys.hpp"  // declares the namespace inside its inline one

#ifndef PERDURE_SOURCE_DIR
#define PERDURE_SOURCE_DIR "."
#endif

namespace perdure::dynamodb {

inline std::filesystem::path vectors(const std::string& name) {
    const char* const named = std::getenv("PERDURE_SHARED");
    const std::filesystem::path shared =
        named ? named : std::filesystem::path{PERDURE_SOURCE_DIR} / ".." / "shared";
    return shared / "data" / name;
}

// Empty if there is no such file.
inline std::string contents(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

inline WallTime moment(int year, unsigned month, unsigned day, int hour = 0, int minute = 0,
                       int second = 0) {
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                              std::chrono::day{day}};
    return sys_days{date} + hours{hour} + minutes{minute} + seconds{second};
}

// "2026-01-01T00:00:00Z"
inline WallTime moment(const std::string& text) {
    const auto number = [&](std::size_t at, std::size_t digits) {
        return std::stoi(text.substr(at, digits));
    };
    return moment(number(0, 4), static_cast<unsigned>(number(5, 2)),
                  static_cast<unsigned>(number(8, 2)), number(11, 2), number(14, 2), number(17, 2));
}

}  // namespace perdure::dynamodb
