// SPDX-License-Identifier: Apache-2.0
//
// Who stands for DynamoDB in the tests of batches? Tables in memory behind a server on loopback, which
// keep the rules of batches and do to each request what the test says.
//
//     Tables tables;
//     tables.on_request = [](const Asked& asked) { return Fate{.leave = every_second(asked)}; };
//     dynamodb::Client client{tables.options()};
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"
#include "http/asking.hpp"
#include "perdure/dynamodb/client.hpp"

namespace perdure::dynamodb {

struct Asked {
    struct Entry {
        std::string table{};
        std::string what{};  // "PutRequest", "DeleteRequest", "Keys"
        Item item{};
    };
    int number = 0;  // from 1
    std::string operation{};
    std::string body{};
    std::vector<Entry> entries{};
};

struct Fate {
    std::set<std::size_t> leave{};            // of the entries
    std::optional<http::Reply> instead{};     // and nothing is done
    std::optional<http::Reply> afterwards{};  // all is done, and this is said
};

inline http::Reply error(int status, const std::string& code) {
    return http::status(status, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#" + code +
                                    "\",\"message\":\"no\"}");
}
inline http::Reply reset() { return {"", http::Then::reset}; }

// Repeats quickly, four times. Without a budget: many tests let everything fail, and say after how many
// attempts. Batches on the default budget are in tests/live/dynamodb.
inline Plan quick_batch(Duration deadline = 5s) {
    const Rule soon{.attempts = 4, .backoff = {.base = 1ms, .cap = 1ms}};
    return {.name = "orders",
            .deadline = deadline,
            .rule = soon,
            .rules = {{"throttled", soon}},
            .budget = {.kind = BudgetKind::none}};
}

// Made by the test, used on the server's thread; what it has seen is asked for after the calls.
class Tables {
public:
    std::function<Fate(const Asked&)> on_request = [](const Asked&) { return Fate{}; };

    [[nodiscard]] ClientOptions options(Plan plan = quick_batch()) const {
        ClientOptions options;
        options.region = "eu-west-1";
        options.endpoint = server_.url();
        options.credentials = fixed_credentials({"AKIDEXAMPLE", "secret"});
        options.plan = std::move(plan);
        options.adapt = Adapt::nothing;
        options.surroundings = {};
        return options;
    }
    [[nodiscard]] std::vector<Asked> asked() const {
        const std::lock_guard lock{mutex_};
        return asked_;
    }
    // How many entries each request had.
    [[nodiscard]] std::vector<std::size_t> sizes() const {
        std::vector<std::size_t> sizes;
        for (const Asked& one : asked()) sizes.push_back(one.entries.size());
        return sizes;
    }
    [[nodiscard]] std::optional<Item> find(const std::string& table, const Item& key) const {
        const std::lock_guard lock{mutex_};
        const auto row = rows_.find(table + key_text(key));
        return row == rows_.end() ? std::nullopt : std::optional{row->second};
    }
    void store(const std::string& table, const Item& item) {
        const std::lock_guard lock{mutex_};
        rows_[table + key_text(key_in(item))] = item;
    }
    [[nodiscard]] std::size_t rows() const {
        const std::lock_guard lock{mutex_};
        return rows_.size();
    }

private:
    // Tables are keyed by pk and, where it is there, sk.
    static Item key_in(const Item& item) {
        Item key;
        for (const char* name : {"pk", "sk"})
            if (const Value* value = item.find(name)) key.set(name, *value);
        return key;
    }

    static Asked understand(const http::Seen& seen) {
        Asked asked{.operation = seen.header("x-amz-target"), .body = seen.body};
        const auto list = [&](std::string_view table, std::string_view what, JsonNode& node) {
            auto item = node.item();
            EXPECT_TRUE(item);
            asked.entries.push_back({std::string{table}, std::string{what}, *item});
            return Result<void>{};
        };
        const auto table = [&](std::string_view name, JsonNode& node) -> Result<void> {
            if (*node.kind() == JsonKind::array)
                return node.each_element([&](JsonNode& request) {
                    return request.each_member([&](std::string_view what, JsonNode& inner) {
                        return inner.each_member([&](std::string_view, JsonNode& attributes) {
                            return list(name, what, attributes);
                        });
                    });
                });
            return node.each_member([&](std::string_view what, JsonNode& inner) -> Result<void> {
                if (what != "Keys") return {};
                return inner.each_element([&](JsonNode& key) { return list(name, what, key); });
            });
        };
        const auto read = read_object(
            asked.body, [&](std::string_view, JsonNode& node) { return node.each_member(table); });
        EXPECT_TRUE(read) << asked.body;
        return asked;
    }

    http::Reply serve(const http::Seen& seen) {
        Asked asked = understand(seen);
        const std::lock_guard lock{mutex_};
        asked.number = static_cast<int>(asked_.size()) + 1;
        asked_.push_back(asked);
        Fate fate = on_request(asked);
        if (fate.instead) return *fate.instead;
        const bool reads = asked.operation.ends_with("BatchGetItem");
        std::set<std::string> seen_keys;
        for (const Asked::Entry& entry : asked.entries)
            if (!seen_keys.insert(entry.table + key_text(key_in(entry.item))).second)
                return error(400, "ValidationException");
        if (asked.entries.size() > (reads ? 100u : 25u) || asked.body.size() > 16u << 20u)
            return error(400, "ValidationException");
        const std::string answer = reads ? get(asked, fate) : write(asked, fate);
        return fate.afterwards ? *fate.afterwards : http::ok(answer);
    }

    std::string write(const Asked& asked, const Fate& fate) {
        std::map<std::string, std::string> left;
        for (std::size_t at = 0; at < asked.entries.size(); ++at) {
            const auto& [table, what, item] = asked.entries[at];
            const bool put = what == "PutRequest";
            if (fate.leave.contains(at)) {
                std::string& text = left[table];
                text += text.empty() ? "" : ",";
                JsonWriter{text += "{\"" + what + "\":{\"" + (put ? "Item" : "Key") + "\":"}.item(
                    item);
                text += "}}";
            } else if (put) {
                rows_[table + key_text(key_in(item))] = item;
            } else {
                rows_.erase(table + key_text(item));
            }
        }
        std::string json;
        for (const auto& [table, text] : left)
            json += (json.empty() ? "\"" : ",\"") + table + "\":[" + text + "]";
        return "{\"UnprocessedItems\":{" + json + "}}";
    }

    std::string get(const Asked& asked, const Fate& fate) const {
        std::map<std::string, std::string> found, left;
        const auto note = [](std::string& text, const Item& item) {
            text += text.empty() ? "" : ",";
            JsonWriter{text}.item(item);
        };
        // From the back, because services keep no order.
        for (std::size_t at = asked.entries.size(); at-- > 0;) {
            const auto& [table, what, key] = asked.entries[at];
            found[table];
            const auto row = rows_.find(table + key_text(key));
            if (fate.leave.contains(at)) note(left[table], key);
            else if (row != rows_.end()) note(found[table], row->second);
        }
        std::string items, keys;
        for (const auto& [table, text] : found)
            items += (items.empty() ? "\"" : ",\"") + table + "\":[" + text + "]";
        for (const auto& [table, text] : left)
            keys += (keys.empty() ? "\"" : ",\"") + table + "\":{\"Keys\":[" + text + "]}";
        return "{\"Responses\":{" + items + "},\"UnprocessedKeys\":{" + keys + "}}";
    }

    mutable std::mutex mutex_;
    std::vector<Asked> asked_;
    std::map<std::string, Item> rows_;
    http::Server server_{[this](const http::Seen& seen) { return serve(seen); }};
};

inline std::string id_of(int number) { return "o#" + std::to_string(number); }

}  // namespace perdure::dynamodb
