// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/check_item.hpp"

#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> CheckItem::append_entry(std::string& out) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check_key(key_));
    PERDURE_TRY(check_placeholders(placeholders_));
    if (condition_.empty()) return fail(invalid_request("a check needs a condition"));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    json.member("Key", key_);
    json.member("ConditionExpression", condition_);
    append_placeholders(json, placeholders_);
    if (old_when_refused_) append_old_when_refused(json);
    json.end_object();
    return {};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
