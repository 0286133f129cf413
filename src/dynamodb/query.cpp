// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/query.hpp"

#include "page_body.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> Query::append_body(std::string& out, const CallFacts&) const {
    PERDURE_TRY(check_table(table_));
    if (key_.empty()) return fail(invalid_request("a query needs a key condition: key(…)"));
    PERDURE_TRY(check_clauses(clauses_, placeholders_));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    json.member("KeyConditionExpression", key_);
    if (backward_) {
        json.key("ScanIndexForward");
        json.no();
    }
    append_clauses(json, clauses_, placeholders_);
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<Page> Query::read(std::string& json) const { return read_page(json); }

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
