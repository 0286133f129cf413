// SPDX-License-Identifier: Apache-2.0
//
// What do all attempts of one call share? Its id, which is also the token or marker a write leaves
// behind, and the moment it began.
#pragma once

#include <string_view>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A view; the client keeps what it refers to for as long as the call lasts.
struct CallFacts {
    std::string_view id{};  // 36 characters: amz-sdk-invocation-id, ClientRequestToken, marker
    WallTime began{};       // by the service's clock, as far as it is known
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
