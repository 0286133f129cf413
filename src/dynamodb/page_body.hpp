// SPDX-License-Identifier: Apache-2.0
//
// How do queries and scans say alike what they want, and how is a page read?
#pragma once

#include <string_view>

#include "perdure/dynamodb/page.hpp"
#include "perdure/result.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

[[nodiscard]] Result<void> check_clauses(const PageClauses& clauses,
                                         const Placeholders& placeholders);
void append_clauses(JsonWriter& json, const PageClauses& clauses, const Placeholders& placeholders);

// {"Items":[…], "Count":…, "ScannedCount":…, "LastEvaluatedKey":…, "ConsumedCapacity":…}
[[nodiscard]] Result<Page> read_page(std::string_view json);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
