// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/watched.hpp"

#include <new>

#include "perdure/call/diagnostics.hpp"

namespace perdure {
inline namespace v0 {

struct Watched::Kept {
    Operation operation;
    Observer& observer;
    Diagnostics record{};
};

void Watched::watch(const Environment& environment) noexcept {
    if (environment.observer && environment.observer->wants_calls())
        // Without memory the call goes on unwatched.
        kept_ = new (std::nothrow) Kept{*operation_, *environment.observer};
    if (kept_) {
        if (!kept_->operation.diagnostics) kept_->operation.diagnostics = &kept_->record;
        operation_ = &kept_->operation;
    }
    if (record()) record()->note_began(environment.clock.wall());
}

void Watched::tell() noexcept { kept_->observer.on_call(*record()); }

void Watched::drop() noexcept { delete kept_; }

}  // namespace v0
}  // namespace perdure
