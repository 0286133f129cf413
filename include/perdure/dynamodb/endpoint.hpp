// SPDX-License-Identifier: Apache-2.0
//
// Where does DynamoDB live in this region, and which region goes into the signature?
//
//     endpoint_of({.region = "eu-west-1"})               https://dynamodb.eu-west-1.amazonaws.com
//     endpoint_of({.region = "eu-west-1", .override_url = "http://localhost:8000"})
//     endpoint_of({.region = "local"})                   http://localhost:8000, signed for us-east-1
#pragma once

#include <cstdint>
#include <string>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Hosts whose cryptography is certified by the rules of the United States' government.
enum class Fips : std::uint8_t { off, on };
// Hosts that are reached over IPv6 too.
enum class DualStack : std::uint8_t { off, on };

struct EndpointChoice {
    std::string region{};
    std::string override_url{};  // scheme, host and port; empty: AWS's own host of the region
    Fips fips = Fips::off;
    DualStack dual_stack = DualStack::off;
};

// A plain value.
struct Endpoint {
    std::string url{};  // without a slash at its end
    std::string signing_region{};
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// The failure is `invalid`, "invalid-endpoint", and never shows the URL. Settings that contradict
// each other are refused instead of being left out quietly. Pure; any thread.
Result<Endpoint> endpoint_of(const EndpointChoice& choice);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
