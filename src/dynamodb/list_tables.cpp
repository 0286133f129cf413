// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/list_tables.hpp"

#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr int most_names = 100;  // of a page, by the service's own limit

Result<void> read_names(JsonNode& node, std::vector<std::string>& into) {
    return node.each_element([&](JsonNode& element) -> Result<void> {
        auto name = element.text();
        if (!name) return name.take_failure();
        into.push_back(*std::move(name));
        return {};
    });
}

}  // namespace

Result<void> ListTables::append_body(std::string& out, const CallFacts&) const {
    if (limit_ && (*limit_ < 1 || *limit_ > most_names))
        return fail(invalid_request("a page has 1 to 100 names of tables"));
    if (!start_after_.empty()) PERDURE_TRY(check_table(start_after_));
    JsonWriter json{out};
    json.begin_object();
    append_text(json, "ExclusiveStartTableName", start_after_);
    if (limit_) {
        json.key("Limit");
        json.integer(*limit_);
    }
    json.end_object();
    return {};
}

Result<TableNames> ListTables::read(std::string& json) const {
    TableNames tables;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "TableNames") return read_names(node, tables.names);
        if (name != "LastEvaluatedTableName") return {};
        auto next = node.text();
        if (!next) return next.take_failure();
        if (next->empty()) return fail(unreadable("LastEvaluatedTableName is empty"));
        tables.next = *std::move(next);
        return {};
    }));
    return tables;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
