// SPDX-License-Identifier: Apache-2.0
//
// What does a driver keep for an observer that wants whole calls? A record, when the operation
// brings none of its own, and the moment at which it is handed over. For drivers; not for users.
//
//     Watched watched{operation, environment};     // then run watched.operation()
//     watched.ended();                             // after the last word about the call
//
// Free of cost for calls nobody watches: two pointers, looked at twice.
#pragma once

#include "perdure/call/environment.hpp"
#include "perdure/call/operation.hpp"

namespace perdure {
inline namespace v0 {

// Owned by one call, used by one thread at a time. The operation outlives it.
class Watched {
public:
    explicit Watched(const Operation& operation) noexcept : operation_{&operation} {}
    Watched(const Operation& operation, const Environment& environment) noexcept
        : Watched{operation} {
        begin(environment);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() {
        if (kept_) [[unlikely]]
            drop();
    }

    // The call begins now.
    void begin(const Environment& environment) noexcept {
        if (environment.observer || operation_->diagnostics) [[unlikely]]
            watch(environment);
    }
    [[nodiscard]] const Operation& operation() const noexcept { return *operation_; }
    // Null: nobody wants one.
    [[nodiscard]] Diagnostics* record() const noexcept { return operation_->diagnostics; }
    // Said once. A call that is dropped or threw does not say it and is not told.
    void ended() noexcept {
        if (kept_) [[unlikely]]
            tell();
    }

private:
    struct Kept;
    void watch(const Environment& environment) noexcept;
    void tell() noexcept;
    void drop() noexcept;

    const Operation* operation_;
    Kept* kept_ = nullptr;
};

}  // namespace v0
}  // namespace perdure
