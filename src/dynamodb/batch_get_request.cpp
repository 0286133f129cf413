// SPDX-License-Identifier: Apache-2.0
#include "batch_get_request.hpp"

#include <algorithm>
#include <utility>

#include "json_writer.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

std::string_view trimmed_path(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Whether the expression asks for this whole attribute, by its name or by a placeholder.
bool asks_for(const BatchGet::Table& table, std::string_view attribute) {
    std::string_view rest = table.projection;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view path = trimmed_path(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        if (path == attribute) return true;
        for (const auto& [placeholder, name] : table.names)
            if (path == placeholder && name == attribute) return true;
    }
    return false;
}

// The keys of a table all have the attributes that the first good one has.
std::vector<KeyedTable> tables_of(const BatchGet& wanted) {
    std::vector<KeyedTable> tables;
    for (const BatchGet::Table& table : wanted.tables()) tables.push_back({table.name, {}});
    for (const BatchGet::Key& entry : wanted.keys())
        if (KeyNames& names = tables[entry.table].key; names.empty() && check_key(entry.key))
            for (const Attribute& attribute : entry.key) names.push_back(attribute.name);
    return tables;
}

Result<void> check_entry(const BatchGet::Key& entry, const BatchGet::Table& table,
                         const KeyNames& names) {
    PERDURE_TRY(check_table(table.name));
    Placeholders placeholders;
    placeholders.names = table.names;
    PERDURE_TRY(check_placeholders(placeholders));
    PERDURE_TRY(check_key(entry.key));
    if (entry.key.size() != names.size() || !key_of(entry.key, names))
        return fail(invalid_request("the keys of a table have the same attributes"));
    return {};
}

}  // namespace

ReadForm read_form(const BatchGet::Table& table, const KeyNames& key) {
    ReadForm form;
    form.projection = table.projection;
    form.placeholders.names = table.names;
    if (table.projection.empty()) return form;
    for (const std::string& attribute : key) {
        if (asks_for(table, attribute)) continue;
        const std::string placeholder = "#perdure" + std::to_string(form.added.size());
        form.projection.append(", ").append(placeholder);
        form.placeholders.names.emplace_back(placeholder, attribute);
        form.added.push_back(attribute);
    }
    return form;
}

ReadBatch::ReadBatch(std::shared_ptr<const BatchGet> from, std::string dependency)
    : wanted{std::move(from)}, keys{tables_of(*wanted), std::move(dependency)} {
    for (const BatchGet::Key& entry : wanted->keys()) {
        auto sendable =
            check_entry(entry, wanted->tables()[entry.table], keys.tables()[entry.table].key);
        if (sendable) keys.add(entry.table, entry.key);
        else keys.refuse(std::move(sendable).error());
    }
    for (std::size_t table = 0; table < wanted->tables().size(); ++table)
        forms.push_back(read_form(wanted->tables()[table], keys.tables()[table].key));
}

std::string_view BatchGetRequest::table() const noexcept {
    const std::size_t first = entry(*chunk_.begin()).table;
    const bool one = std::all_of(chunk_.begin(), chunk_.end(),
                                 [&](std::size_t key) { return entry(key).table == first; });
    return one ? std::string_view{batch_->wanted->tables()[first].name} : std::string_view{};
}

Result<void> BatchGetRequest::append_body(std::string& out, const CallFacts&) const {
    std::vector<const BatchGet::Key*> entries;
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
        const std::size_t number = (*at)->table;
        const BatchGet::Table& asked = batch_->wanted->tables()[number];
        json.key(asked.name);
        json.begin_object();
        json.key("Keys");
        json.begin_array();
        for (; at != entries.end() && (*at)->table == number; ++at) json.item((*at)->key);
        json.end_array();
        if (asked.consistent) {
            json.key("ConsistentRead");
            json.yes();
        }
        append_text(json, "ProjectionExpression", batch_->forms[number].projection);
        append_placeholders(json, batch_->forms[number].placeholders);
        json.end_object();
    }
    json.end_object();
    json.end_object();
    return {};
}

Result<ReadAnswer> BatchGetRequest::read(std::string& json) const {
    ReadAnswer answer;
    answer.items.resize(chunk_.size());
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name != "Responses" && name != "UnprocessedKeys") return {};
        if (node.is_null()) return {};
        const bool items = name == "Responses";
        return node.each_member([&](std::string_view table, JsonNode& said) {
            return items ? read_items(table, said, answer) : read_left(table, said, answer);
        });
    }));
    return answer;
}

Result<void> BatchGetRequest::read_items(std::string_view name, JsonNode& list,
                                         ReadAnswer& answer) const {
    PERDURE_TRY_VALUE(const std::size_t number, batch_->keys.table(name));
    return list.each_element([&](JsonNode& node) -> Result<void> {
        PERDURE_TRY_VALUE(Item item, node.item());
        const auto key = key_of(item, batch_->keys.tables()[number].key);
        if (!key) return fail(unreadable("an item of the answer is without its key"));
        PERDURE_TRY_VALUE(const std::size_t at, batch_->keys.position(chunk_, number, *key));
        for (const std::string& added : batch_->forms[number].added) item.remove(added);
        answer.items[at] = std::move(item);
        return {};
    });
}

// {"Keys":[{…}], …}
Result<void> BatchGetRequest::read_left(std::string_view name, JsonNode& about,
                                        ReadAnswer& answer) const {
    PERDURE_TRY_VALUE(const std::size_t number, batch_->keys.table(name));
    return about.each_member([&](std::string_view member, JsonNode& node) -> Result<void> {
        if (member != "Keys") return {};
        return node.each_element([&](JsonNode& attributes) -> Result<void> {
            PERDURE_TRY_VALUE(const Item key, batch_->keys.read_key(number, attributes));
            PERDURE_TRY_VALUE(const std::size_t at, batch_->keys.position(chunk_, number, key));
            answer.left.push_back(at);
            return {};
        });
    });
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
