// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/put_item.hpp"

#include "perdure/try.hpp"
#include "request_body.hpp"
#include "settled.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Safety PutItem::safety() const noexcept {
    if (declared_) return *declared_;
    if (landed_ || !condition_.empty() || returns_ != Returns::nothing) return Safety::once;
    return Safety::idempotent;
}

Result<void> PutItem::append_fields(JsonWriter& json) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check(item_));
    PERDURE_TRY(check_placeholders(placeholders_));
    PERDURE_TRY(check_declared(declared_));
    if (landed_ && !key_of(item_, key_names_))
        return fail(invalid_request("landed() names a key attribute that the item does not have"));
    json.member("TableName", table_);
    json.member("Item", item_);
    append_text(json, "ConditionExpression", condition_);
    append_placeholders(json, placeholders_);
    if (old_when_refused_) append_old_when_refused(json);
    return {};
}

Result<void> PutItem::append_entry(std::string& out) const {
    return append_object(out, [&](JsonWriter& json) { return append_fields(json); });
}

Result<void> PutItem::append_body(std::string& out, const CallFacts&) const {
    return append_object(out, [&](JsonWriter& json) -> Result<void> {
        PERDURE_TRY(append_fields(json));
        append_returns(json, returns_);
        if (reports_capacity_) append_report_capacity(json);
        return {};
    });
}

Result<Written> PutItem::read(std::string& json) const { return read_written(json); }

std::optional<GetItem> PutItem::question() const {
    auto key = key_of(item_, key_names_);
    if (!landed_ || !key) return std::nullopt;
    return GetItem{table_, *std::move(key)}.consistent();
}

Landed<Written> PutItem::landed(const std::optional<Item>& now, const CallFacts&) const {
    return settled(landed_(now));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
