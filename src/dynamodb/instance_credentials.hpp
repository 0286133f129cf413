// SPDX-License-Identifier: Apache-2.0
//
// How does a virtual machine get its keys? From EC2's metadata service, version 2: a token first.
#pragma once

#include <memory>

#include "credentials_source.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/dynamodb/settings.hpp"
#include "profile.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Null: AWS_EC2_METADATA_DISABLED says no.
Result<std::unique_ptr<KeySource>> instance_source(const Surroundings& surroundings,
                                                   const Profile& profile,
                                                   const Environment& environment);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
