// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/attempt.hpp"

#include <memory>

namespace perdure {
inline namespace v0 {

void AttemptLink::join(Effect nested) noexcept {
    Effect known = nested_.load(std::memory_order_relaxed);
    while (known < nested &&
           !nested_.compare_exchange_weak(known, nested, std::memory_order_relaxed)) {}
}

std::stop_token AttemptLink::token() {
    if (outside_) return *outside_;
    std::stop_source* source = source_.load();
    if (source == nullptr) {
        auto made = std::make_unique<std::stop_source>();
        if (source_.compare_exchange_strong(source, made.get())) source = made.release();
    }
    // Either cancel() sees the source just stored, or this sees the flag it set before looking.
    if (cancelled_.load()) source->request_stop();
    return source->get_token();
}

void AttemptLink::cancel() noexcept {
    cancelled_.store(true);
    if (std::stop_source* source = source_.load()) source->request_stop();
}

}  // namespace v0
}  // namespace perdure
