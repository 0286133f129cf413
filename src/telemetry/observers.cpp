// SPDX-License-Identifier: Apache-2.0
#include "perdure/telemetry/observers.hpp"

#include <algorithm>
#include <iterator>

namespace perdure {
inline namespace v0 {

Observers::Observers(std::initializer_list<Observer*> all) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(all_),
                 [](const Observer* each) { return each != nullptr; });
}

void Observers::on_event(const Event& event) noexcept {
    for (Observer* each : all_) each->on_event(event);
}

bool Observers::wants_calls() const noexcept {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Observer* each) { return each->wants_calls(); });
}

void Observers::on_call(const Diagnostics& call) noexcept {
    for (Observer* each : all_)
        if (each->wants_calls()) each->on_call(call);
}

}  // namespace v0
}  // namespace perdure
