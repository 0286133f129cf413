// SPDX-License-Identifier: Apache-2.0
//
// Which table of DynamoDB is meant, and where is it?
//
//     dynamodb://orders?region=eu-west-1
//     dynamodb://orders?region=local&endpoint=http://127.0.0.1:8000&profile=test
//
// No keys: they are found where AWS's own tools find them.
#pragma once

#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace tool::load {

// What is empty is found as AWS's own tools find it.
struct DynamoUrl {
    std::string table{};  // may be empty: --table says it
    std::string region{};
    std::string endpoint{};
    std::string profile{};
};

[[nodiscard]] bool is_dynamodb_url(std::string_view url) noexcept;

// Failure: invalid, with what to write instead.
[[nodiscard]] perdure::Result<DynamoUrl> parse_dynamodb_url(std::string_view url);

}  // namespace tool::load
