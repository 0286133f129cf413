// SPDX-License-Identifier: Apache-2.0
#include "profile.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "credentials_file.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t names_shown = 20;
constexpr std::size_t longest_name_shown = 64;

struct FilePlace {
    std::string path{};   // empty: nowhere
    std::string shown{};  // the same, with ~ for the home directory
    bool asked_for = false;
};

FilePlace place_of(const Surroundings& surroundings, std::string_view variable,
                   std::string_view usual) {
    const std::string named{surroundings.variable(variable)};
    if (named.starts_with("~/") && !surroundings.home.empty())
        return {surroundings.home + named.substr(1), named, true};
    if (!named.empty()) return {named, named, true};
    if (surroundings.home.empty()) return {{}, "~" + std::string{usual}};
    return {surroundings.home + std::string{usual}, "~" + std::string{usual}};
}

// One of the two files, read and taken apart.
struct Reading {
    FilePlace place{};
    std::string trouble{};
    ProfileText text{};

    [[nodiscard]] ProfilePart part(const Sections& sections, std::string_view name) const {
        const auto found = sections.find(name);
        return {place.shown, trouble, found == sections.end() ? Section{} : found->second};
    }
};

Result<Reading> read(FilePlace place, ProfileFile which) {
    Reading reading{.place = std::move(place)};
    if (reading.place.path.empty()) return reading;
    const SmallFile file = read_small_file(reading.place.path);
    if (file.missing()) return reading;
    if (file.error != 0) {
        reading.trouble = reading.place.shown + " cannot be read: " + file.why();
        if (reading.place.asked_for)
            return fail({.cause = Cause::invalid,
                         .origin = Origin::application,
                         .code = "malformed-profile",
                         .message = reading.trouble});
        return reading;
    }
    PERDURE_TRY_VALUE(reading.text, parse_profiles(file.text, which, reading.place.shown));
    return reading;
}

std::string short_name(std::string_view name) {
    return std::string{name.substr(0, longest_name_shown)};
}

std::string list_of(const Reading& credentials, const Reading& config) {
    std::set<std::string> names;
    for (const Reading* reading : {&credentials, &config})
        for (const auto& [name, section] : reading->text.profiles) names.insert(name);
    if (names.empty()) return "there are none";
    std::string list = "there are: ";
    std::size_t shown = 0;
    for (const std::string& name : names) {
        if (shown == names_shown) return list + " …";
        if (shown++ > 0) list += ", ";
        list += short_name(name);
    }
    return list;
}

bool strays(const Reading& reading, const std::string& name) {
    return std::ranges::find(reading.text.strays, name) != reading.text.strays.end();
}

Fail no_such_profile(const std::string& name, std::string_view said_by, const Reading& credentials,
                     const Reading& config) {
    std::string message = "the profile \"" + short_name(name) + "\" (" + std::string{said_by} +
                          ") is in neither " + credentials.place.shown + " nor " +
                          config.place.shown + "; " + list_of(credentials, config);
    if (strays(config, name))
        message +=
            "; in " + config.place.shown + " it must be written [profile " + short_name(name) + "]";
    if (strays(credentials, name))
        message += "; in " + credentials.place.shown + " it must be written [" + short_name(name) +
                   "], without the word profile";
    for (const Reading* reading : {&credentials, &config})
        if (!reading->trouble.empty()) message += "; " + reading->trouble;
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "no-such-profile",
                 .message = std::move(message)});
}

// "asked for in the program", or the variable that names it; nothing: nobody did.
std::pair<std::string, std::string_view> name_of(const Surroundings& surroundings,
                                                 std::string_view wanted) {
    if (!wanted.empty()) return {std::string{wanted}, "asked for by the program"};
    for (const std::string_view variable : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"})
        if (const auto name = surroundings.variable(variable); !name.empty())
            return {std::string{name}, variable};
    return {"default", {}};
}

// [services x] holds `dynamodb =` with deeper lines: those become properties of their own.
ProfilePart service_of(const Reading& config, const Profile& profile) {
    ProfilePart part{.shown = config.place.shown};
    const auto services = profile.find("services");
    if (!services) return part;
    const auto section = config.text.services.find(services->value);
    if (section == config.text.services.end()) return part;
    const auto dynamodb = section->second.find("dynamodb");
    if (dynamodb == section->second.end()) return part;
    for (const auto& [name, value] : dynamodb->second.nested)
        part.properties[name] = {value, {}, dynamodb->second.line};
    return part;
}

}  // namespace

std::optional<Setting> ProfilePart::find(std::string_view name) const {
    const auto found = properties.find(name);
    if (found == properties.end() || found->second.value.empty()) return std::nullopt;
    return Setting{found->second.value, shown + ':' + std::to_string(found->second.line)};
}

std::optional<Setting> Profile::find(std::string_view property) const {
    if (auto found = credentials.find(property)) return found;
    return config.find(property);
}

Result<Profile> chosen_profile(const Surroundings& surroundings, std::string_view wanted) {
    PERDURE_TRY_VALUE(
        const Reading credentials,
        read(place_of(surroundings, "AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"),
             ProfileFile::credentials));
    PERDURE_TRY_VALUE(
        const Reading config,
        read(place_of(surroundings, "AWS_CONFIG_FILE", "/.aws/config"), ProfileFile::config));
    const auto [name, said_by] = name_of(surroundings, wanted);
    if (!said_by.empty() && !credentials.text.profiles.contains(name) &&
        !config.text.profiles.contains(name))
        return no_such_profile(name, said_by, credentials, config);
    Profile profile{.name = name,
                    .credentials = credentials.part(credentials.text.profiles, name),
                    .config = config.part(config.text.profiles, name)};
    profile.service = service_of(config, profile);
    return profile;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
