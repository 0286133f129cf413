// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/create_once.hpp"

#include "marker.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"
#include "settled.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> CreateOnce::append_body(std::string& out, const CallFacts& facts) const {
    PERDURE_TRY(check_table(table_));
    const auto key = key_of(item_, key_names_);
    if (key_names_.empty() || !key)
        return fail(invalid_request("the item does not have the key attributes that were named"));
    PERDURE_TRY(check_key(*key));
    if (marker_.empty() || item_.has(marker_))
        return fail(invalid_request("the marker needs an attribute of its own"));
    if (token_ && token_->empty()) return fail(invalid_request("the token is empty"));
    Item marked = item_;
    marked.set(marker_, Value{mine(facts)});
    PERDURE_TRY(check(marked));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    json.member("Item", marked);
    json.member("ConditionExpression", "attribute_not_exists(#k)");
    append_placeholders(json, {.names = {{"#k", key_names_.front()}}});
    append_old_when_refused(json);
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<Written> CreateOnce::read(std::string& json) const { return read_written(json); }

std::optional<Written> CreateOnce::recognise(const ServiceError& error,
                                             const CallFacts& facts) const {
    if (!is_refusal(error) || !error.item) return std::nullopt;
    if (marker_in(*error.item, marker_) != mine(facts)) return std::nullopt;
    Written written;
    written.found_out = true;
    return written;
}

std::optional<GetItem> CreateOnce::question() const {
    auto key = key_of(item_, key_names_);
    if (!key) return std::nullopt;
    return GetItem{table_, *std::move(key)}.consistent();
}

Landed<Written> CreateOnce::landed(const std::optional<Item>& now, const CallFacts& facts) const {
    if (!now) return settled(Verdict::no);
    const std::string_view whose = marker_in(*now, marker_);
    if (whose == mine(facts)) return settled(Verdict::yes);
    return settled(whose.empty() ? Verdict::unknown : Verdict::no);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
