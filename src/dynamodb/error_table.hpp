// SPDX-License-Identifier: Apache-2.0
//
// Which rows does the table of errors consist of? Four parts, one file each.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "perdure/dynamodb/classify.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Sources that rows in several files cite. Of the model: its exceptions, and the codes that it lists for
// statements.
inline constexpr std::string_view api_model = "DynamoDB API 2012-08-10";
inline constexpr std::string_view statement_codes =
    "DynamoDB API 2012-08-10, BatchStatementErrorCodeEnum";
inline constexpr std::string_view developer_guide = "DynamoDB developer guide, Error handling";
inline constexpr std::string_view common_errors = "AWS common errors";

// Constant; any thread.
std::span<const ErrorRow> throttling_rows() noexcept;
std::span<const ErrorRow> server_rows() noexcept;
std::span<const ErrorRow> request_rows() noexcept;  // authentication and form
std::span<const ErrorRow> state_rows() noexcept;    // answers about items and tables

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
