// SPDX-License-Identifier: Apache-2.0
//
// Which caller serves this dependency? One per name and process, so that every call site shares
// its budget; or one per call site, for calls that name no dependency.
//
//     callers.define({.name = "users", .deadline = 3s});   // at start-up
//     callers.get("users").run(operation, load);
#pragma once

#include <string_view>

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

// A place in the source, and the type of the work that is called there: a helper function that is a
// template has one for each type it is used with. A plain value; refers to literals only.
struct CallSite {
    const char* file = "";
    unsigned line = 0;
    const void* work = nullptr;

    // As a default argument: the place of the call. Not std::source_location, which clang 14 lacks.
    static constexpr CallSite here(const char* file = __builtin_FILE(),
                                   unsigned line = __builtin_LINE()) noexcept {
        return {.file = file, .line = line};
    }
    template <class Work>
    [[nodiscard]] constexpr CallSite of() const noexcept {
        return {.file = file, .line = line, .work = &tag<Work>};
    }

private:
    template <class Work>
    static constexpr char tag = 0;
};

// Safe for any number of threads. Callers live until the process ends, so references stay valid.
class Callers {
public:
    // Refused when the plan has problems (all of them are named), or when the name is taken.
    Result<void> define(Plan plan, const Environment& environment = {});
    // The one that was defined, else one with the default plan. Look it up once, not per call.
    [[nodiscard]] Caller& get(std::string_view name);
    // The one of this call site, with the default plan. There are as many as the source has sites.
    [[nodiscard]] Caller& get(const CallSite& site);
};

inline constinit Callers callers{};

}  // namespace v0
}  // namespace perdure
