// SPDX-License-Identifier: Apache-2.0
//
// May this request be served? The master key's signature or a known token, and a date of now.
//
//     if (const Refusal why = refusal(key, token, request, wall); why != Refusal::none) …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chaos/cosmos/resource.hpp"
#include "perdure/duration.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// missing, wrong: 401; stale: 403.
enum class Refusal : std::uint8_t { none, missing, wrong, stale };

// Used by one thread.
class Authority {
public:
    // The key in base64; an empty token is nobody's.
    Authority(std::string_view key, std::string_view token);

    [[nodiscard]] Refusal judge(std::string_view method, const Resource& resource,
                                const http::Headers& headers, WallTime now) const;

private:
    [[nodiscard]] bool signed_by_us(std::string_view method, const Resource& resource,
                                    std::string_view date, std::string_view signature) const;

    std::string key_;
    std::string token_;
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
