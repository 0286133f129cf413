// SPDX-License-Identifier: Apache-2.0
//
// How do several observers watch the same calls? One that passes everything on.
//
//     Observers both{&journal, &metrics};
//     Caller users{plan, {.observer = &both}};
#pragma once

#include "perdure/cxx20.hpp"

#include <initializer_list>
#include <vector>

#include "perdure/call/observer.hpp"

namespace perdure {
inline namespace v0 {

// As safe for threads as those it passes on to; they outlive it. Each hears in the order given.
class Observers final : public Observer {
public:
    Observers(std::initializer_list<Observer*> all);  // null ones are left out

    void on_event(const Event& event) noexcept override;
    [[nodiscard]] bool wants_calls() const noexcept override;
    void on_call(const Diagnostics& call) noexcept override;

private:
    std::vector<Observer*> all_;
};

}  // namespace v0
}  // namespace perdure
