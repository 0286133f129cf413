// SPDX-License-Identifier: Apache-2.0
//
// What is the one line? Repeats anything whose repetition is harmless: that is what the name says.
//
//     const auto page = perdure::retry([&] { return fetch(url); });              // Result<Page>
//     const auto page = perdure::retry("pages", [&] { return fetch(url); });
//     const auto page = perdure::retry(plan, [&] { return fetch(url); });
//
// The work may return a value and throw; or return bool (false: failed), std::optional (empty:
// failed), std::error_code, or Result<T>. Four attempts, full jitter, ten seconds, and a retry budget
// for each place in the source that calls retry(work), so that a failing dependency takes no attempts
// from another. Places that call the same dependency share a budget by a name or a caller.
#pragma once

#include "perdure/cxx20.hpp"

#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "perdure/call/callers.hpp"
#include "perdure/call/catching.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// What a plain return value says about success.
template <class Given>
auto understood(Given given) {
    if constexpr (is_result<Given>) {
        return given;
    } else if constexpr (std::is_same_v<Given, bool>) {
        return given ? Result<void>{}
                     : Result<void>{
                           fail({.origin = Origin::application, .message = "returned false"})};
    } else if constexpr (std::is_same_v<Given, std::error_code>) {
        return given ? Result<void>{fail(classify_error(given))} : Result<void>{};
    } else if constexpr (is_optional<Given>) {
        using R = Result<typename Given::value_type>;
        return given ? R{*std::move(given)}
                     : R{fail({.origin = Origin::application, .message = "returned nothing"})};
    } else {
        return Result<Given>{std::move(given)};
    }
}

template <class Work>
auto understanding(Work& work) {
    return catching(classify_exception, [&work](const Attempt& attempt) {
        using Given = std::remove_cvref_t<decltype(invoke_work(work, attempt))>;
        static_assert(
            !requires { typename Given::promise_type; },
            "retry() does not take a coroutine: use perdure::start(caller, operation, "
            "work)");
        if constexpr (std::is_void_v<Given>) return invoke_work(work, attempt), Result<void>{};
        else return understood(invoke_work(work, attempt));
    });
}

}  // namespace detail

template <class Work>
auto retry(Caller& caller, Work&& work) {
    return caller.run({.name = "retry", .safety = Safety::idempotent}, detail::understanding(work));
}

template <class Work>
    requires std::is_invocable_v<Work&> || std::is_invocable_v<Work&, const Attempt&>
auto retry(Work&& work, const CallSite& site = CallSite::here()) {
    return retry(callers.get(site.of<std::remove_cvref_t<Work>>()), work);
}

// By the name of the dependency: the caller of `callers` with this name.
template <class Work>
auto retry(std::string_view dependency, Work&& work) {
    return retry(callers.get(dependency), work);
}

// A plan without memory: its budget is as old as this call. Where calls are many, keep a Caller.
template <class Work>
auto retry(const Plan& plan, Work&& work) {
    Caller caller{plan};
    return retry(caller, work);
}

}  // namespace v0
}  // namespace perdure
