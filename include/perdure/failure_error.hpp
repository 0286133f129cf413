// SPDX-License-Identifier: Apache-2.0
//
// How does a failure travel for people who prefer exceptions?
//
//     try { use(perdure::or_throw(caller.run(…))); }
//     catch (const perdure::FailureError& error) { page_someone(error.failure()); }
#pragma once

#include <stdexcept>
#include <utility>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {

class FailureError : public std::runtime_error {
public:
    explicit FailureError(Failure failure)
        : std::runtime_error{to_string(failure)}, failure_{std::move(failure)} {}

    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

private:
    Failure failure_;
};

}  // namespace v0
}  // namespace perdure
