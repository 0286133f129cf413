// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/delete_item.hpp"

#include "perdure/try.hpp"
#include "request_body.hpp"
#include "settled.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Safety DeleteItem::safety() const noexcept {
    if (declared_) return *declared_;
    if (landed_ || !condition_.empty() || returns_ != Returns::nothing) return Safety::once;
    return Safety::idempotent;
}

Result<void> DeleteItem::append_fields(JsonWriter& json) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check_key(key_));
    PERDURE_TRY(check_placeholders(placeholders_));
    PERDURE_TRY(check_declared(declared_));
    json.member("TableName", table_);
    json.member("Key", key_);
    append_text(json, "ConditionExpression", condition_);
    append_placeholders(json, placeholders_);
    if (old_when_refused_) append_old_when_refused(json);
    return {};
}

Result<void> DeleteItem::append_entry(std::string& out) const {
    return append_object(out, [&](JsonWriter& json) { return append_fields(json); });
}

Result<void> DeleteItem::append_body(std::string& out, const CallFacts&) const {
    return append_object(out, [&](JsonWriter& json) -> Result<void> {
        PERDURE_TRY(append_fields(json));
        append_returns(json, returns_);
        if (reports_capacity_) append_report_capacity(json);
        return {};
    });
}

Result<Written> DeleteItem::read(std::string& json) const { return read_written(json); }

std::optional<GetItem> DeleteItem::question() const {
    if (!landed_) return std::nullopt;
    return GetItem{table_, key_}.consistent();
}

Landed<Written> DeleteItem::landed(const std::optional<Item>& now, const CallFacts&) const {
    return settled(landed_(now));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
