// SPDX-License-Identifier: Apache-2.0
//
// What do the bodies of many requests have in common, and what do their answers?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json_reader.hpp"
#include "json_writer.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/written.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// An object whose members `fields` writes: Result<void>(JsonWriter&).
template <class Fields>
Result<void> append_object(std::string& out, Fields&& fields) {
    JsonWriter json{out};
    json.begin_object();
    auto written = fields(json);
    json.end_object();
    return written;
}

// ExpressionAttributeNames and ExpressionAttributeValues, as far as there are any.
void append_placeholders(JsonWriter& json, const Placeholders& placeholders);
// A member, unless the text is empty.
void append_text(JsonWriter& json, std::string_view name, std::string_view text);
void append_returns(JsonWriter& json, Returns returns);
void append_old_when_refused(JsonWriter& json);
void append_report_capacity(JsonWriter& json);

// Table names have 1 to 1024 characters (an ARN is one too), keys at least one attribute that is a
// string, a number or binary. The failures are `invalid`, of the application, with effect none.
Result<void> check_table(std::string_view table);
Result<void> check_key(const Item& key);
// Every name stands for something and every value can be sent.
Result<void> check_placeholders(const Placeholders& placeholders);
// A write that calls itself a read would be copied, and its failures would say that nothing happened.
Result<void> check_declared(std::optional<Safety> safety);

// CapacityUnits of a ConsumedCapacity.
Result<double> read_capacity(JsonNode& node);
// {"Attributes":…, "ConsumedCapacity":…}
Result<Written> read_written(std::string_view json);

Failure invalid_request(std::string message);

// The attributes of `item` that make up its key; nothing if one is missing.
std::optional<Item> key_of(const Item& item, const KeyNames& names);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
