// SPDX-License-Identifier: Apache-2.0
//
// What does start() give when nobody can turn a call? One that has ended before it began.
#pragma once

#include <utility>

#include "perdure/call/call.hpp"
#include "perdure/http/response.hpp"
#include "perdure/time/loop.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

class RefusedCall final : public detail::CallFor<Result<Response>> {
public:
    explicit RefusedCall(Failure failure)
        : CallFor{default_executor(), Operation{}}, failure_{std::move(failure)} {}
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
