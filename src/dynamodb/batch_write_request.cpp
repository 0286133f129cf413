// SPDX-License-Identifier: Apache-2.0
#include "batch_write_request.hpp"

#include <algorithm>
#include <utility>

#include "json_writer.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

using What = BatchWrite::What;

std::vector<KeyedTable> tables_of(const BatchWrite& writes) {
    std::vector<KeyedTable> tables;
    for (const BatchWrite::Table& table : writes.tables())
        tables.push_back({table.name, table.key});
    return tables;
}

void append_entry(JsonWriter& json, const BatchWrite::Entry& entry) {
    const bool is_put = entry.what == What::put;
    json.begin_object();
    json.key(is_put ? "PutRequest" : "DeleteRequest");
    json.begin_object();
    json.member(is_put ? "Item" : "Key", entry.item);
    json.end_object();
    json.end_object();
}

// One entry the service would not take makes it refuse the other 24, so each is looked at before.
Result<Item> sendable_key(const BatchWrite::Entry& entry, const BatchWrite::Table& table) {
    PERDURE_TRY(check_table(table.name));
    PERDURE_TRY(check(entry.item));
    PERDURE_TRY_VALUE(Item key, usable_key(entry.item, table.key));
    if (entry.what == What::remove && entry.item.size() != key.size())
        return fail(invalid_request("a key has more attributes than the key of its table"));
    return key;
}

}  // namespace

WriteBatch::WriteBatch(std::shared_ptr<const BatchWrite> from, std::string dependency)
    : writes{std::move(from)}, keys{tables_of(*writes), std::move(dependency)} {
    for (const BatchWrite::Entry& entry : writes->entries()) {
        auto key = sendable_key(entry, writes->tables()[entry.table]);
        if (key) keys.add(entry.table, *key);
        else keys.refuse(std::move(key).error());
    }
    std::string text;
    bytes.reserve(keys.size());
    for (std::size_t key = 0; key < keys.size(); ++key) {
        text.clear();
        JsonWriter json{text};
        append_entry(json, writes->entries()[keys.entry(key)]);
        bytes.push_back(text.size() + 1);  // and a comma
    }
}

std::string_view BatchWriteRequest::table() const noexcept {
    const std::size_t first = entry(*chunk_.begin()).table;
    const bool one = std::all_of(chunk_.begin(), chunk_.end(),
                                 [&](std::size_t key) { return entry(key).table == first; });
    return one ? std::string_view{batch_->writes->tables()[first].name} : std::string_view{};
}

Result<void> BatchWriteRequest::append_body(std::string& out, const CallFacts&) const {
    std::vector<const BatchWrite::Entry*> entries;
    for (const std::size_t key : chunk_) entries.push_back(&entry(key));
    // By table, and there as they were given.
    std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
        return a->table != b->table ? a->table < b->table : a < b;
    });
    JsonWriter json{out};
    json.begin_object();
    json.key("RequestItems");
    json.begin_object();
    for (auto at = entries.begin(); at != entries.end();) {
        const std::size_t table = (*at)->table;
        json.key(batch_->writes->tables()[table].name);
        json.begin_array();
        for (; at != entries.end() && (*at)->table == table; ++at) append_entry(json, **at);
        json.end_array();
    }
    json.end_object();
    json.end_object();
    return {};
}

Result<BatchWriteRequest::Answer> BatchWriteRequest::read(std::string& json) const {
    Answer left;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name != "UnprocessedItems" || node.is_null()) return {};
        return node.each_member(
            [&](std::string_view table, JsonNode& list) { return read_table(table, list, left); });
    }));
    return left;
}

// [{"PutRequest":{"Item":{…}}},{"DeleteRequest":{"Key":{…}}}]
Result<void> BatchWriteRequest::read_table(std::string_view name, JsonNode& list,
                                           Answer& left) const {
    PERDURE_TRY_VALUE(const std::size_t table, batch_->keys.table(name));
    const auto read_attributes = [&](std::string_view, JsonNode& attributes) -> Result<void> {
        PERDURE_TRY_VALUE(const Item key, batch_->keys.read_key(table, attributes));
        PERDURE_TRY_VALUE(const std::size_t at, batch_->keys.position(chunk_, table, key));
        left.push_back(at);
        return {};
    };
    return list.each_element([&](JsonNode& request) {
        return request.each_member(
            [&](std::string_view, JsonNode& what) { return what.each_member(read_attributes); });
    });
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
