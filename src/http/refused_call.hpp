// SPDX-License-Identifier: Apache-2.0
//
// What does start() give when nobody can turn a call? One that has ended before it began.
#pragma once

#include <utility>

#include "perdure/call/call.hpp"
#include "perdure/http/response.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// For a call that never runs: needs no thread, because there may be none to have.
class NoExecutor final : public Executor {
public:
    [[nodiscard]] Clock& clock() noexcept override { return system_clock(); }
    [[nodiscard]] bool here() const noexcept override { return true; }
    void post(Job& job) noexcept override { job.run(job); }
    void arm(Alarm&, TimePoint) noexcept override {}
    void disarm(Alarm&) noexcept override {}
    static NoExecutor& only() noexcept {
        static NoExecutor made;
        return made;
    }
};

class RefusedCall final : public detail::CallFor<Result<Response>> {
public:
    explicit RefusedCall(Failure failure)
        : CallFor{NoExecutor::only(), Operation{}}, failure_{std::move(failure)} {}
    bool begin(detail::Listener) override {
        this->winner.emplace(fail(std::move(failure_)));
        return true;
    }
    void abandon() noexcept override {}

private:
    void turn() override {}
    Failure failure_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
