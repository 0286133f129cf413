// SPDX-License-Identifier: Apache-2.0
//
// Which header fields may a caller add to a request? Any that the client does not write itself.
//
//     PERDURE_TRY(add_headers(envelope, {{"x-ms-cosmos-priority-level", "Low"}}));
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "perdure/cosmos/envelope.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// The failure is `invalid`, of the application, "invalid-header": no name, a control character in the value,
// a field of the client's own, or the same one twice.
Result<void> add_headers(Envelope& envelope,
                         const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
