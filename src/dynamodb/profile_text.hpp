// SPDX-License-Identifier: Apache-2.0
//
// What stands in ~/.aws/config and ~/.aws/credentials? Their text, line by line, as sections and
// properties; nothing is looked up and nothing is left to chance.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct Property {
    std::string value{};
    // The deeper lines below a name without a value.
    std::map<std::string, std::string, std::less<>> nested{};
    int line = 0;
};
using Section = std::map<std::string, Property, std::less<>>;  // names in lower case
using Sections = std::map<std::string, Section, std::less<>>;

// Which of the two: only in the config file a section says what kind it is.
enum class ProfileFile : std::uint8_t { credentials, config };

// A plain value.
struct ProfileText {
    Sections profiles{};
    Sections services{};
    // Names that would be a profile in the other of the two files: a mistake worth a word.
    std::vector<std::string> strays{};
};

// `shown` is the file's name in failures, which say file:line and what was expected, and nothing of
// what stands there. Sections of one name are merged, the later line wins.
Result<ProfileText> parse_profiles(std::string_view text, ProfileFile file, std::string_view shown);

// Without white space at both ends.
std::string_view trimmed(std::string_view text) noexcept;
std::string lower_case(std::string_view text);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
