// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_status.hpp"

#include "exit_code.hpp"
#include "load/engine/of_input.hpp"

namespace tool::load {

using namespace perdure;

namespace {

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
                          failure.origin == Origin::application && !is_of_input(failure);
    return of_flags ? exit_code::usage : status_while_loading(failure);
}

}  // namespace tool::load
