// SPDX-License-Identifier: Apache-2.0
//
// How does a part of the demonstration say that it cannot go on?
//
//     if (!file) return fail(trouble("cannot write " + path));
#pragma once

#include <string>
#include <utility>

#include "perdure/result.hpp"

namespace demo {

inline perdure::Failure trouble(std::string message) {
    return {.cause = perdure::Cause::invalid,
            .effect = perdure::Effect::none,
            .origin = perdure::Origin::application,
            .code = "demo",
            .message = std::move(message)};
}

}  // namespace demo
