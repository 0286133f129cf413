// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <pwd.h>
#include <unistd.h>

#include "perdure/dynamodb/settings.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// For those whom nobody told where their home is, such as a service.
std::string home_by_system() {
    std::array<char, 4096> room;
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(getuid(), &entry, room.data(), room.size(), &found) != 0 || !found) return {};
    return found->pw_dir ? found->pw_dir : "";
}

}  // namespace

Surroundings Surroundings::of_process() {
    Surroundings found;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        found.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    const std::string_view home = found.variable("HOME");
    found.home = home.empty() ? home_by_system() : std::string{home};
    return found;
}

std::string_view Surroundings::variable(std::string_view name) const noexcept {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string_view{} : std::string_view{found->second};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
