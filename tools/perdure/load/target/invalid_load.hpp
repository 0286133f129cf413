// SPDX-License-Identifier: Apache-2.0
//
// The failure of a load that cannot run as it was asked for: a wrong flag, URL, table or record.
//
//     if (url.table.empty()) return perdure::fail(invalid_load("table", "which table?"));
#pragma once

#include <string>
#include <utility>

#include "perdure/failure.hpp"

namespace tool::load {

[[nodiscard]] inline perdure::Failure invalid_load(std::string code, std::string message) {
    return {.cause = perdure::Cause::invalid,
            .effect = perdure::Effect::none,
            .origin = perdure::Origin::application,
            .code = std::move(code),
            .message = std::move(message)};
}

}  // namespace tool::load
