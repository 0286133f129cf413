// SPDX-License-Identifier: Apache-2.0
//
// What came back, besides the body? The fields every answer of the service may carry.
#pragma once

#include <string>
#include <string_view>

#include "perdure/http/response.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A view of one answer, for requests that read it. The body may be moved out.
struct Reply {
    http::Response& response;
    double charge = 0;  // request units, of this answer
    [[nodiscard]] std::string_view field(std::string_view name) const {
        return response.headers.find(name).value_or("");
    }
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
