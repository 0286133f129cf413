// SPDX-License-Identifier: Apache-2.0
//
// How is a thread started when the system may have none left? std::thread throws then, which ends a
// program that expects a Result; so the library and the tool start theirs here.
//
//     PERDURE_TRY_VALUE(thread_, start_thread([this](const std::stop_token& stop) { work(stop); }));
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace detail {

// False while a test has set a limit that is reached: perdure/testing/thread_limit.hpp.
[[nodiscard]] bool take_thread() noexcept;
void limit_threads(int left) noexcept;  // -1: no limit

[[nodiscard]] Failure no_thread(const std::error_code& why);

}  // namespace detail

// The failure is `exhausted` with code "no-thread" and without effect. Any thread.
template <class Work>
[[nodiscard]] Result<std::jthread> start_thread(Work&& work) {
    constexpr auto none_left = std::errc::resource_unavailable_try_again;
    if (!detail::take_thread()) return fail(detail::no_thread(std::make_error_code(none_left)));
    try {
        return std::jthread{std::forward<Work>(work)};
    } catch (const std::system_error& error) {
        return fail(detail::no_thread(error.code()));
    }
}

// For a constructor, which has no other way to say it: throws std::system_error.
template <class Work>
[[nodiscard]] std::jthread start_thread_or_throw(Work&& work) {
    auto started = start_thread(std::forward<Work>(work));
    if (!started)
        throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                                started.error().message};
    return *std::move(started);
}

}  // namespace v0
}  // namespace perdure
