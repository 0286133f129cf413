// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_status.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "exit_code.hpp"
#include "load/engine/of_input.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// No keys where they are looked for, or keys that cannot be read: the flags are right all the same.
bool is_of_credentials(const Failure& failure) {
    constexpr std::array<std::string_view, 4> codes{"no-credentials", "malformed-profile",
                                                    "no-such-profile", "unsupported-credentials"};
    return std::ranges::find(codes, failure.code) != codes.end();
}

// What a second try of the same command meets again until a person has changed something.
bool needs_person(const Failure& failure) {
    // A name that the resolver answered for, for as long as --patience: it is mistyped.
    if (failure.code == "ARES_ENOTFOUND") return true;
    switch (failure.cause) {
        case Cause::credentials:
        case Cause::forbidden:
        case Cause::not_found:
        case Cause::invalid:
        case Cause::too_large: return true;
        default: return false;
    }
}

}  // namespace

int status_while_loading(const Failure& failure) {
    if (is_of_input(failure)) return exit_code::unreadable;
    return needs_person(failure) ? exit_code::needs_person : exit_code::stopped;
}

int status_of(const Failure& failure) {
    const bool of_flags = failure.cause == Cause::invalid &&
                          failure.origin == Origin::application && !is_of_input(failure) &&
                          !is_of_credentials(failure);
    return of_flags ? exit_code::usage : status_while_loading(failure);
}

}  // namespace tool::load
