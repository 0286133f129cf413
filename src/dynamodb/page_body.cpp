// SPDX-License-Identifier: Apache-2.0
#include "page_body.hpp"

#include <utility>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

Result<void> read_items(JsonNode& node, std::vector<Item>& into) {
    return node.each_element([&](JsonNode& element) -> Result<void> {
        auto item = element.item();
        if (!item) return item.take_failure();
        into.push_back(*std::move(item));
        return {};
    });
}

Result<void> read_count(JsonNode& node, std::int64_t& into) {
    auto count = node.integer();
    if (!count) return count.take_failure();
    if (*count < 0) return fail(unreadable("a count is negative"));
    into = *count;
    return {};
}

Result<void> read_next(JsonNode& node, std::optional<Item>& into) {
    auto key = node.item();
    if (!key) return key.take_failure();
    // Without attributes it could not be sent back, and the walk would begin again.
    if (key->empty()) return fail(unreadable("LastEvaluatedKey has no attributes"));
    into = *std::move(key);
    return {};
}

}  // namespace

Result<void> check_clauses(const PageClauses& clauses, const Placeholders& placeholders) {
    if (clauses.limit && *clauses.limit < 1)
        return fail(invalid_request("a page's limit must be at least 1"));
    if (clauses.count_only && !clauses.projection.empty())
        return fail(invalid_request("count_only() gives no attributes; leave projection() out"));
    if (clauses.start_after) {
        if (clauses.start_after->empty())
            return fail(invalid_request("start_after() needs the key of an item"));
        PERDURE_TRY(check(*clauses.start_after));
    }
    return check_placeholders(placeholders);
}

void append_clauses(JsonWriter& json, const PageClauses& clauses,
                    const Placeholders& placeholders) {
    append_text(json, "IndexName", clauses.index);
    append_text(json, "FilterExpression", clauses.filter);
    append_text(json, "ProjectionExpression", clauses.projection);
    append_placeholders(json, placeholders);
    if (clauses.count_only) json.member("Select", "COUNT");
    if (clauses.limit) {
        json.key("Limit");
        json.integer(*clauses.limit);
    }
    if (clauses.consistent) {
        json.key("ConsistentRead");
        json.yes();
    }
    if (clauses.start_after) json.member("ExclusiveStartKey", *clauses.start_after);
}

Result<Page> read_page(std::string_view json) {
    Page page;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "Items") return read_items(node, page.items);
        if (name == "Count") return read_count(node, page.count);
        if (name == "ScannedCount") return read_count(node, page.scanned);
        if (name == "LastEvaluatedKey") return read_next(node, page.next);
        if (name != "ConsumedCapacity") return {};
        auto capacity = read_capacity(node);
        if (!capacity) return capacity.take_failure();
        page.capacity = *capacity;
        return {};
    }));
    return page;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
