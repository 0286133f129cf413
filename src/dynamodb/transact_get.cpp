// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/transact_get.hpp"

#include "transact_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// {"Item":{…}}, or {} where there is none.
Result<std::optional<Item>> read_one(JsonNode& node) {
    std::optional<Item> found;
    PERDURE_TRY(node.each_member([&](std::string_view name, JsonNode& value) -> Result<void> {
        if (name != "Item") return {};
        auto item = value.item();
        if (!item) return item.take_failure();
        found = *std::move(item);
        return {};
    }));
    return found;
}

Result<void> read_all(JsonNode& node, std::vector<std::optional<Item>>& into) {
    return node.each_element([&](JsonNode& element) -> Result<void> {
        auto one = read_one(element);
        if (!one) return one.take_failure();
        into.push_back(*std::move(one));
        return {};
    });
}

}  // namespace

std::string_view TransactGet::table() const noexcept {
    return gets_.empty() ? std::string_view{} : gets_.front().table();
}

Result<void> TransactGet::append_body(std::string& out, const CallFacts&) const {
    PERDURE_TRY(check_actions(gets_.size()));
    JsonWriter json{out};
    json.begin_object();
    json.key("TransactItems");
    json.begin_array();
    for (std::size_t i = 0; i < gets_.size(); ++i)
        PERDURE_TRY(append_action(json, "Get", gets_[i], i));
    json.end_array();
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<GotTogether> TransactGet::read(std::string& json) const {
    GotTogether got;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "Responses") return read_all(node, got.items);
        if (name != "ConsumedCapacity") return {};
        auto units = read_capacities(node);
        if (!units) return units.take_failure();
        got.capacity = *units;
        return {};
    }));
    // Whose item is it, if there are more or fewer than were asked for?
    if (got.items.size() != gets_.size())
        return fail(unreadable(std::to_string(got.items.size()) + " answers to " +
                               std::to_string(gets_.size()) + " gets"));
    return got;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
