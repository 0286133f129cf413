// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/create_table.hpp"

#include <algorithm>

#include "perdure/try.hpp"
#include "request_body.hpp"
#include "table_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

void append_key(JsonWriter& json, const std::vector<KeyAttribute>& key) {
    json.key("KeySchema");
    json.begin_array();
    for (std::size_t i = 0; i < key.size(); ++i) {
        json.begin_object();
        json.member("AttributeName", key[i].name);
        json.member("KeyType", i == 0 ? "HASH" : "RANGE");
        json.end_object();
    }
    json.end_array();
}

void append_definitions(JsonWriter& json, const std::vector<KeyAttribute>& attributes) {
    json.key("AttributeDefinitions");
    json.begin_array();
    for (const KeyAttribute& attribute : attributes) {
        json.begin_object();
        json.member("AttributeName", attribute.name);
        json.member("AttributeType", letters(attribute.type));
        json.end_object();
    }
    json.end_array();
}

void append_throughput(JsonWriter& json, std::int64_t reads, std::int64_t writes) {
    json.key("ProvisionedThroughput");
    json.begin_object();
    json.key("ReadCapacityUnits");
    json.integer(reads);
    json.key("WriteCapacityUnits");
    json.integer(writes);
    json.end_object();
}

// Each attribute is defined once, however many keys it belongs to.
Result<void> define(std::vector<KeyAttribute>& defined, const std::vector<KeyAttribute>& key) {
    for (const KeyAttribute& attribute : key) {
        if (attribute.name.empty()) return fail(invalid_request("a key attribute has no name"));
        const auto same = std::find_if(defined.begin(), defined.end(),
                                       [&](const auto& one) { return one.name == attribute.name; });
        if (same == defined.end()) defined.push_back(attribute);
        else if (same->type != attribute.type)
            return fail(invalid_request("the key attribute " + attribute.name + " has two types"));
    }
    if (key.size() == 2 && key[0].name == key[1].name)
        return fail(invalid_request("a key names the attribute " + key[0].name + " twice"));
    return {};
}

}  // namespace

Result<std::vector<KeyAttribute>> CreateTable::definitions() const {
    std::vector<KeyAttribute> defined;
    PERDURE_TRY(define(defined, key_));
    for (const Index& index : indexes_) {
        if (index.name.empty()) return fail(invalid_request("an index has no name"));
        PERDURE_TRY(define(defined, index.key));
    }
    return defined;
}

Result<void> CreateTable::append_body(std::string& out, const CallFacts&) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY_VALUE(const auto defined, definitions());
    if (provisioned_ && (provisioned_->reads < 1 || provisioned_->writes < 1))
        return fail(invalid_request("provisioned capacity is at least 1 for reads and for writes"));
    const auto append_capacity = [&](JsonWriter& json) {
        if (provisioned_) append_throughput(json, provisioned_->reads, provisioned_->writes);
    };
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    append_definitions(json, defined);
    append_key(json, key_);
    if (!indexes_.empty()) {
        json.key("GlobalSecondaryIndexes");
        json.begin_array();
        for (const Index& index : indexes_) {
            json.begin_object();
            json.member("IndexName", index.name);
            append_key(json, index.key);
            json.key("Projection");
            json.raw(R"({"ProjectionType":"ALL"})");
            append_capacity(json);
            json.end_object();
        }
        json.end_array();
    }
    json.member("BillingMode", provisioned_ ? "PROVISIONED" : "PAY_PER_REQUEST");
    append_capacity(json);
    json.end_object();
    return {};
}

Result<TableDescription> CreateTable::read(std::string& json) const {
    return read_table(json, "TableDescription");
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
