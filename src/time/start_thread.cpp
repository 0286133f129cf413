// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/start_thread.hpp"

#include <atomic>

namespace perdure {
inline namespace v0 {
namespace detail {

namespace {

constinit std::atomic<int> threads_left{-1};

}  // namespace

void limit_threads(int left) noexcept { threads_left = left; }

bool take_thread() noexcept {
    int left = threads_left.load(std::memory_order_relaxed);
    while (left > 0 && !threads_left.compare_exchange_weak(left, left - 1)) {}
    return left != 0;
}

Failure no_thread(const std::error_code& why) {
    return {.cause = Cause::exhausted,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "no-thread",
            .message = "no thread could be started: " + why.message() +
                       "; raise this process's limit of threads or of memory"};
}

}  // namespace detail
}  // namespace v0
}  // namespace perdure
