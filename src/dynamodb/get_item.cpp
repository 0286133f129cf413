// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/get_item.hpp"

#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> GetItem::append_fields(JsonWriter& json) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check_key(key_));
    PERDURE_TRY(check_placeholders(placeholders_));
    json.member("TableName", table_);
    json.member("Key", key_);
    append_text(json, "ProjectionExpression", projection_);
    append_placeholders(json, placeholders_);
    return {};
}

Result<void> GetItem::append_entry(std::string& out) const {
    return append_object(out, [&](JsonWriter& json) { return append_fields(json); });
}

Result<void> GetItem::append_body(std::string& out, const CallFacts&) const {
    return append_object(out, [&](JsonWriter& json) -> Result<void> {
        PERDURE_TRY(append_fields(json));
        if (consistent_) {
            json.key("ConsistentRead");
            json.yes();
        }
        if (reports_capacity_) append_report_capacity(json);
        return {};
    });
}

Result<Got> GetItem::read(std::string& json) const {
    Got got;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "Item") {
            auto read = node.item();
            if (!read) return read.take_failure();
            got.item = *std::move(read);
        } else if (name == "ConsumedCapacity") {
            auto read = read_capacity(node);
            if (!read) return read.take_failure();
            got.capacity = *read;
        }
        return {};
    }));
    return got;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
