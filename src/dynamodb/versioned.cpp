// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/versioned.hpp"

#include <limits>

#include "marker.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"
#include "settled.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> Versioned::append_body(std::string& out, const CallFacts& facts) const {
    PERDURE_TRY(check_table(table_));
    const auto key = key_of(item_, key_names_);
    if (key_names_.empty() || !key)
        return fail(invalid_request("the item does not have the key attributes that were named"));
    PERDURE_TRY(check_key(*key));
    if (seen_ < 0 || seen_ == std::numeric_limits<std::int64_t>::max())
        return fail(invalid_request("a version is a number from 0 on"));
    if (version_.empty() || marker_.empty() || version_ == marker_ || key->has(version_) ||
        key->has(marker_))
        return fail(invalid_request("version and marker need attributes of their own"));
    Item next = item_;
    next.set(version_, Value{seen_ + 1});
    next.set(marker_, Value{facts.id});
    PERDURE_TRY(check(next));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    json.member("Item", next);
    Placeholders placeholders;
    if (seen_ == 0) {
        json.member("ConditionExpression", "attribute_not_exists(#k)");
        placeholders.names.emplace_back("#k", key_names_.front());
    } else {
        json.member("ConditionExpression", "#v = :seen");
        placeholders.names.emplace_back("#v", version_);
        placeholders.values.set(":seen", Value{seen_});
    }
    append_placeholders(json, placeholders);
    append_old_when_refused(json);
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<Written> Versioned::read(std::string& json) const { return read_written(json); }

std::optional<Written> Versioned::recognise(const ServiceError& error,
                                            const CallFacts& facts) const {
    if (!is_refusal(error) || !error.item) return std::nullopt;
    if (landed(error.item, facts).verdict() != Verdict::yes) return std::nullopt;
    Written written;
    written.found_out = true;
    return written;
}

std::optional<GetItem> Versioned::question() const {
    auto key = key_of(item_, key_names_);
    if (!key) return std::nullopt;
    return GetItem{table_, *std::move(key)}.consistent();
}

Landed<Written> Versioned::landed(const std::optional<Item>& now, const CallFacts& facts) const {
    // Gone: ours may have been there before it was deleted, unless it was never there at all.
    if (!now) return settled(seen_ == 0 ? Verdict::no : Verdict::unknown);
    const auto version = now->get<std::int64_t>(version_);
    if (!version) return settled(Verdict::unknown);
    if (*version == seen_) return settled(Verdict::no);
    if (*version != seen_ + 1) return settled(Verdict::unknown);
    const std::string_view whose = marker_in(*now, marker_);
    if (whose == facts.id) return settled(Verdict::yes);
    return settled(whose.empty() ? Verdict::unknown : Verdict::no);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
