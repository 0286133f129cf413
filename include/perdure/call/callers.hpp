// SPDX-License-Identifier: Apache-2.0
//
// Which caller serves this dependency? One per name and process, so that every call site shares
// its budget.
//
//     callers.define({.name = "users", .deadline = 3s});   // at start-up
//     callers.get("users").run(operation, load);
#pragma once

#include <string_view>

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

// Safe for any number of threads. Callers live until the process ends, so references stay valid.
class Callers {
public:
    // Refused when the plan has problems (all of them are named), or when the name is taken.
    Result<void> define(Plan plan, const Environment& environment = {});
    // The one that was defined, else one with the default plan. Look it up once, not per call.
    [[nodiscard]] Caller& get(std::string_view name);
};

inline constinit Callers callers{};

}  // namespace v0
}  // namespace perdure
