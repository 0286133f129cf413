// SPDX-License-Identifier: Apache-2.0
//
// How does a container divide its items? What the client must know of one before it can send there.
//
//     const auto properties = parse_container(response.body);
//     properties->key.paths[0]     "/tenant"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/effective_key.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct KeyDefinition {
    std::vector<std::string> paths{};
    KeyKind kind = KeyKind::hash;
    KeyVersion version = KeyVersion::v1;  // what an answer without a version means

    friend bool operator==(const KeyDefinition&, const KeyDefinition&) = default;
};

// A plain value.
struct ContainerProperties {
    std::string id{};
    std::string rid{};  // changes when the container is deleted and made again
    KeyDefinition key{};

    friend bool operator==(const ContainerProperties&, const ContainerProperties&) = default;
};

// The failure is `corrupt`, "unreadable-answer"; also for a kind or version we do not know, since we
// would send to the wrong partition. A container without a partition key has no paths.
Result<ContainerProperties> parse_container(std::string_view json);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
