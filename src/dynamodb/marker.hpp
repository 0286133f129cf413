// SPDX-License-Identifier: Apache-2.0
//
// Whose is the item that is there?
#pragma once

#include <string>
#include <string_view>

#include "perdure/dynamodb/item.hpp"
#include "perdure/dynamodb/service_error.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Empty: it has no marker.
inline std::string_view marker_in(const Item& item, std::string_view attribute) noexcept {
    const Value* const value = item.find(attribute);
    const std::string* const text = value ? value->as<std::string>() : nullptr;
    return text ? std::string_view{*text} : std::string_view{};
}

// The condition did not hold.
inline bool is_refusal(const ServiceError& error) noexcept {
    return error.code == "ConditionalCheckFailedException";
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
