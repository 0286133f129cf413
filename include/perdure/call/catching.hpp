// SPDX-License-Identifier: Apache-2.0
//
// How is work that throws repeated? By saying, once, what its exceptions mean.
//
//     const auto classify = [](const std::exception& e) -> Failure { return {.cause = …}; };
//     users.run(operation, perdure::catching(classify, [&] { return client.load(id); }));
//
// Work that returns T becomes work that returns Result<T>. Whatever `classify` does not take
// (something that is no std::exception) passes through, as it would without.
#pragma once

#include <exception>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

// For those who know nothing about the exception: it may have happened, and may be worth repeating.
// Bad arguments, logic errors and running out of memory are not.
Failure classify_exception(const std::exception& exception);
Failure classify_error(std::error_code error);

namespace detail {

template <class T>
struct AsResult {
    using type = Result<T>;
};
template <class T>
struct AsResult<Result<T>> {
    using type = Result<T>;
};

}  // namespace detail

template <class Classify, class Work>
auto catching(Classify classify, Work work) {
    return
        [classify = std::move(classify), work = std::move(work)](const Attempt& attempt) mutable {
            using Given = std::remove_cvref_t<decltype(detail::invoke_work(work, attempt))>;
            using R = typename detail::AsResult<Given>::type;
            try {
                if constexpr (std::is_void_v<Given>) {
                    detail::invoke_work(work, attempt);
                    return R{};
                } else {
                    return R{detail::invoke_work(work, attempt)};
                }
            } catch (const FailureError& error) {
                return R{fail(error.failure())};
            } catch (const std::exception& exception) {
                return R{fail(classify(exception))};
            }
        };
}

}  // namespace v0
}  // namespace perdure
