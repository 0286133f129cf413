// SPDX-License-Identifier: Apache-2.0
#include "batch_keys.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t longest_partition_key = 2048;
constexpr std::size_t longest_sort_key = 1024;

std::string text_of(std::size_t table, const Item& key) {
    return std::to_string(table).append(":").append(key_text(key));
}

// An ARN names its table at its end: "arn:aws:dynamodb:eu-west-1:1234:table/orders".
std::string_view without_arn(std::string_view name) noexcept {
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

void BatchKeys::add(std::size_t table, const Item& key) {
    const auto [at, is_new] = numbers_.try_emplace(text_of(table, key), entries_.size());
    if (is_new) entries_.push_back(0);
    entries_[at->second] = keys_.size();
    keys_.push_back(at->second);
}

void BatchKeys::refuse(Failure why) {
    why.stop = Stop::permanent;
    why.dependency = dependency_;
    refused_.push_back({keys_.size(), std::move(why)});
    keys_.push_back(none);
}

std::optional<std::size_t> BatchKeys::key(std::size_t entry) const noexcept {
    return keys_[entry] == none ? std::nullopt : std::optional{keys_[entry]};
}

Result<std::size_t> BatchKeys::table(std::string_view name) const {
    const auto named = [&](auto&& same) {
        return static_cast<std::size_t>(std::find_if(tables_.begin(), tables_.end(), same) -
                                        tables_.begin());
    };
    std::size_t at = named([&](const KeyedTable& table) { return table.name == name; });
    if (at == tables_.size())
        at = named(
            [&](const KeyedTable& table) { return without_arn(table.name) == without_arn(name); });
    if (at == tables_.size())
        return fail(unreadable("the answer speaks of a table that was not asked about"));
    return at;
}

Result<std::size_t> BatchKeys::position(const Chunk& chunk, std::size_t table,
                                        const Item& key) const {
    const auto number = numbers_.find(text_of(table, key));
    if (number != numbers_.end()) {
        const auto at = std::find(chunk.begin(), chunk.end(), number->second);
        if (at != chunk.end()) return static_cast<std::size_t>(at - chunk.begin());
    }
    return fail(unreadable("the answer speaks of a key that was not in the request"));
}

Result<Item> BatchKeys::read_key(std::size_t table, JsonNode& attributes) const {
    const KeyNames& names = tables_[table].key;
    Item key;
    PERDURE_TRY(attributes.each_member([&](std::string_view name, JsonNode& node) -> Result<void> {
        if (std::find(names.begin(), names.end(), name) == names.end()) return {};
        auto value = node.value();
        if (!value) return value.take_failure();
        key.set(std::string{name}, *std::move(value));
        return {};
    }));
    return key;
}

BatchTotals BatchKeys::account(const BatchTotals& of_keys) const {
    std::vector<const Failure*> left(size(), nullptr);
    for (const Leftover& leftover : of_keys.leftovers) left[leftover.index] = &leftover.failure;
    BatchTotals totals = of_keys;
    totals.items = keys_.size();
    totals.leftovers.clear();
    auto refused = refused_.begin();
    for (std::size_t entry = 0; entry < keys_.size(); ++entry) {
        if (keys_[entry] == none) totals.leftovers.push_back(*refused++);
        else if (const Failure* const why = left[keys_[entry]])
            totals.leftovers.push_back({entry, *why});
    }
    totals.done = totals.items - totals.leftovers.size();
    return totals;
}

BatchTotals BatchKeys::all_left(const Failure& why) const {
    BatchTotals of_keys;
    for (std::size_t key = 0; key < size(); ++key) {
        of_keys.leftovers.push_back({key, why});
        of_keys.leftovers.back().failure.stop = Stop::permanent;
    }
    return account(of_keys);
}

Result<Item> usable_key(const Item& item, const KeyNames& names) {
    Item key;
    for (std::size_t at = 0; at < names.size(); ++at) {
        const Value* const value = item.find(names[at]);
        if (!value) return fail(invalid_request("the key attribute " + names[at] + " is missing"));
        const std::size_t most = at == 0 ? longest_partition_key : longest_sort_key;
        if (stored_size(*value) > most)
            return fail(invalid_request("the key attribute " + names[at] + " has more than " +
                                        std::to_string(most) + " bytes"));
        key.set(names[at], *value);
    }
    PERDURE_TRY(check_key(key));
    return key;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
