// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/counted.hpp"

#include <algorithm>
#include <array>

#include "marker.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::array<std::string_view, 4> sets = {"perdure_counted_0", "perdure_counted_1",
                                                  "perdure_counted_2", "perdure_counted_3"};

// One is being filled, one is the last window's, one is to be emptied. The fourth is the next window's:
// a call that is late must not empty what others are filling by then.
struct Turn {
    std::string_view filled;
    std::string_view kept;
    std::string_view emptied;
    std::string_view next;
};

Turn turn_of(WallTime at, Duration window) noexcept {
    const auto number = static_cast<std::size_t>(
        std::max<Duration::rep>(at.time_since_epoch().count(), 0) / window.count());
    return {sets[number % 4], sets[(number + 3) % 4], sets[(number + 2) % 4],
            sets[(number + 1) % 4]};
}

// 16 of the 32 digits of a random id, 62 random bits: the item is paid for by its size, and two of a
// million ids have the same with a chance of 1 in 9 million.
std::string short_id(std::string_view id) {
    std::string digits{id};
    std::erase(digits, '-');
    constexpr std::size_t kept = 16;
    return digits.size() > kept ? digits.substr(digits.size() - kept) : digits;
}

bool holds(const Item& item, std::string_view set, std::string_view id) noexcept {
    const Value* const value = item.find(set);
    const StringSet* const ids = value ? value->as<StringSet>() : nullptr;
    return ids && std::ranges::find(*ids, id) != ids->end();
}

}  // namespace

Result<void> Counted::append_body(std::string& out, const CallFacts& facts) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check_key(key_));
    if (window_ < 1s) return fail(invalid_request("a window lasts at least a second"));
    if (attribute_.empty() || key_.has(attribute_) ||
        std::ranges::find(sets, std::string_view{attribute_}) != sets.end())
        return fail(invalid_request("what is counted needs an attribute of its own"));
    const Turn turn = turn_of(facts.began, window_);
    Placeholders placeholders;
    placeholders.names = {{"#n", attribute_},
                          {"#filled", std::string{turn.filled}},
                          {"#kept", std::string{turn.kept}},
                          {"#emptied", std::string{turn.emptied}},
                          {"#next", std::string{turn.next}}};
    placeholders.values.set(":by", Value{by_});
    const std::string id = short_id(facts.id);
    placeholders.values.set(":id", Value{id});
    placeholders.values.set(":ids", Value{StringSet{id}});
    PERDURE_TRY(check_placeholders(placeholders));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    json.member("Key", key_);
    json.member("UpdateExpression", "ADD #n :by, #filled :ids REMOVE #emptied");
    json.member("ConditionExpression",
                "NOT contains(#filled, :id) AND NOT contains(#kept, :id) AND "
                "NOT contains(#emptied, :id) AND NOT contains(#next, :id)");
    append_placeholders(json, placeholders);
    append_returns(json, Returns::updated_new);
    append_old_when_refused(json);
    json.end_object();
    return {};
}

Result<Count> Counted::read(std::string& json) const {
    auto written = read_written(json);
    if (!written) return written.take_failure();
    const Value* const value =
        written->attributes ? written->attributes->find(attribute_) : nullptr;
    const Number* const number = value ? value->as<Number>() : nullptr;
    if (!number) return fail(unreadable("the new count is missing"));
    Count count;
    count.value = *number;
    return count;
}

std::optional<Count> Counted::counted_in(const Item& item, const CallFacts& facts) const {
    const std::string id = short_id(facts.id);
    const bool there =
        std::ranges::any_of(sets, [&](std::string_view set) { return holds(item, set, id); });
    if (!there) return std::nullopt;
    Count count;
    count.found_out = true;
    const Value* const value = item.find(attribute_);
    if (const Number* const number = value ? value->as<Number>() : nullptr) count.value = *number;
    return count;
}

std::optional<Count> Counted::recognise(const ServiceError& error, const CallFacts& facts) const {
    if (!is_refusal(error) || !error.item) return std::nullopt;
    return counted_in(*error.item, facts);
}

std::optional<GetItem> Counted::question() const { return GetItem{table_, key_}.consistent(); }

Landed<Count> Counted::landed(const std::optional<Item>& now, const CallFacts& facts) const {
    if (!now) return Landed<Count>::no();
    if (auto count = counted_in(*now, facts)) return Landed<Count>::yes(*std::move(count));
    return Landed<Count>::no();
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
