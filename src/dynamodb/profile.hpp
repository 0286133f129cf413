// SPDX-License-Identifier: Apache-2.0
//
// Which profile is it, and what do both files say about it?
//
//     PERDURE_TRY_VALUE(const Profile profile, chosen_profile(surroundings));
//     if (const auto region = profile.find("region")) use(region->value, region->where);
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perdure/dynamodb/settings.hpp"
#include "perdure/result.hpp"
#include "profile_text.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// What somebody said, and where: "AWS_REGION" or "~/.aws/config:7".
struct Setting {
    std::string value{};
    std::string where{};
};

// One file's part of a profile.
struct ProfilePart {
    std::string shown{};    // the file's name, for messages
    std::string trouble{};  // why it could not be read; empty: it was, or there is none
    Section properties{};

    [[nodiscard]] std::optional<Setting> find(std::string_view name) const;
};

// A plain value; holds secrets, so nothing prints it.
struct Profile {
    std::string name{};
    ProfilePart credentials{};  // wins
    ProfilePart config{};
    ProfilePart service{};  // the nested lines about DynamoDB in the chosen [services …]

    // Nothing where it is missing or empty.
    [[nodiscard]] std::optional<Setting> find(std::string_view property) const;
};

// `wanted`, else AWS_PROFILE, else AWS_DEFAULT_PROFILE, else "default". Missing files are as good as
// empty ones; a profile asked for by name must be in one of them.
Result<Profile> chosen_profile(const Surroundings& surroundings, std::string_view wanted = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
