// SPDX-License-Identifier: Apache-2.0
//
// What is being called? Something so small that only the way to it costs, and in a file of its own
// so that the compiler cannot look into it.
#pragma once

#include <cstdint>

#include "perdure/call/attempt.hpp"
#include "perdure/result.hpp"

namespace bench {

using Answer = perdure::Result<std::int64_t>;

// Succeeds at once. The deadline is what a transport would be given.
Answer answer(perdure::Deadline deadline);

// The same for a client that hands the whole attempt on.
Answer answer_attempt(const perdure::Attempt& attempt);

// Fails at the first attempt with a throttle that carries no text, then succeeds.
Answer stumble(int number);

}  // namespace bench
