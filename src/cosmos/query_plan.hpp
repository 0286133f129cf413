// SPDX-License-Identifier: Apache-2.0
//
// Can a query be answered partition by partition? The service is asked for its plan, which reads no items.
#pragma once

#include <string_view>
#include <utility>

#include "perdure/cosmos/query.hpp"
#include "perdure/cosmos/wire/status_code.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Its answer is the charge. What sorts, groups, counts or cuts fails as `invalid`: each partition would do
// it for itself only, and nobody here merges what they give. A plain value.
class QueryPlan {
public:
    using Answer = double;
    explicit QueryPlan(Query query) : query_{std::move(query)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "QueryPlan"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<double> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool takes(StatusCode code) const noexcept { return code.status() == 400; }

private:
    Query query_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
