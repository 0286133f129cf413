// SPDX-License-Identifier: Apache-2.0
#include "table_body.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::array<std::string_view, 3> key_letters = {"S", "N", "B"};
constexpr std::array<std::string_view, 4> statuses = {"CREATING", "UPDATING", "DELETING", "ACTIVE"};

using Words = std::vector<std::pair<std::string, std::string>>;

// [{"AttributeName":"pk","KeyType":"HASH"}, …], where `word` is "KeyType".
Result<void> read_words(JsonNode& node, std::string_view word, Words& into) {
    return node.each_element([&](JsonNode& element) -> Result<void> {
        auto& entry = into.emplace_back();  // no binding: clang++ 14 cannot capture one
        return element.each_member([&](std::string_view member, JsonNode& value) -> Result<void> {
            if (member != "AttributeName" && member != word) return {};
            auto text = value.text();
            if (!text) return text.take_failure();
            (member == word ? entry.second : entry.first) = *std::move(text);
            return {};
        });
    });
}

template <class T>
Result<void> keep(Result<T> read, T& into) {
    if (!read) return read.take_failure();
    into = *std::move(read);
    return {};
}

TableStatus status_from(std::string_view word) noexcept {
    const auto* const found = std::find(statuses.begin(), statuses.end(), word);
    return static_cast<TableStatus>(found - statuses.begin());
}

Result<KeyAttribute> attribute(const std::string& name, const Words& definitions) {
    for (const auto& [defined, letter] : definitions) {
        if (defined != name) continue;
        const auto* const found = std::find(key_letters.begin(), key_letters.end(), letter);
        if (found == key_letters.end()) break;
        return KeyAttribute{name, static_cast<KeyType>(found - key_letters.begin())};
    }
    return fail(unreadable("a table's key has an attribute without a type"));
}

// The partition key first, wherever it stands.
Result<std::vector<KeyAttribute>> key_from(const Words& schema, const Words& definitions) {
    std::vector<KeyAttribute> key;
    for (const std::string_view role : {"HASH", "RANGE"})
        for (const auto& [name, said] : schema) {
            if (said != role) continue;
            PERDURE_TRY_VALUE(auto one, attribute(name, definitions));
            key.push_back(std::move(one));
        }
    return key;
}

Result<TableDescription> read_description(std::string json) {
    TableDescription table;
    Words schema;
    Words definitions;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "TableName") return keep(node.text(), table.name);
        if (name == "KeySchema") return read_words(node, "KeyType", schema);
        if (name == "AttributeDefinitions") return read_words(node, "AttributeType", definitions);
        if (name == "ItemCount") return keep(node.integer(), table.items);
        if (name == "TableSizeBytes") return keep(node.integer(), table.bytes);
        if (name != "TableStatus") return {};
        auto word = node.text();
        if (!word) return word.take_failure();
        table.status = status_from(*word);
        return {};
    }));
    PERDURE_TRY_VALUE(table.key, key_from(schema, definitions));
    table.json = std::move(json);
    return table;
}

}  // namespace

std::string_view letters(KeyType type) noexcept {
    return key_letters[static_cast<std::size_t>(type)];
}

Result<void> append_table(std::string& out, std::string_view table) {
    PERDURE_TRY(check_table(table));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table);
    json.end_object();
    return {};
}

Result<TableDescription> read_table(std::string_view json, std::string_view member) {
    std::string description;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name != member) return {};
        return keep(node.raw(), description);
    }));
    if (description.empty()) return fail(unreadable("the answer describes no table"));
    return read_description(std::move(description));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
