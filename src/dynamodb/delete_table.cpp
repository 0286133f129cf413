// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/delete_table.hpp"

#include "table_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> DeleteTable::append_body(std::string& out, const CallFacts&) const {
    return append_table(out, table_);
}

Result<TableDescription> DeleteTable::read(std::string& json) const {
    return read_table(json, "TableDescription");
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
