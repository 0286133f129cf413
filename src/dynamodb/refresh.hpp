// SPDX-License-Identifier: Apache-2.0
//
// Who fetches keys before the old ones expire? One thread for each source, asleep nearly always.
#pragma once

#include <memory>
#include <optional>

#include "credentials_source.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/dynamodb/credentials.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// With `first` the thread is not started before these are used up or refused.
std::shared_ptr<Credentials> refreshing(std::unique_ptr<KeySource> source,
                                        const Environment& environment,
                                        std::optional<Keys> first = std::nullopt);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
