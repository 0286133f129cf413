// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/poll.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {

Plan polling_plan(const Plan& plan, const PollOptions& options) {
    Plan polling = plan;
    std::erase_if(polling.rules, [](const NamedRule& rule) { return rule.name == "not-yet"; });
    polling.rules.push_back({"not-yet",
                             {.attempts = 0,
                              .backoff = {.base = options.every,
                                          .factor = std::max(options.factor, 1.0),
                                          .cap = std::max(options.every, options.longest),
                                          .jitter = Jitter::equal},
                              .cost = 0}});
    return polling;
}

}  // namespace v0
}  // namespace perdure
