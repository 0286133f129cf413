// SPDX-License-Identifier: Apache-2.0
//
// How is a table's description read? Three operations give one, each under a name of its own.
#pragma once

#include <string>
#include <string_view>

#include "perdure/dynamodb/table_description.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// {"TableName":…}
Result<void> append_table(std::string& out, std::string_view table);
// {"Table":{…}}, where `member` is "Table".
[[nodiscard]] Result<TableDescription> read_table(std::string_view json, std::string_view member);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
