// SPDX-License-Identifier: Apache-2.0
#include "live/cosmos/support/corpus.hpp"

#include <simdjson.h>

#include <array>
#include <cstdio>
#include <map>
#include <set>

namespace perdure::live {
namespace {

using cosmos::PartitionKey;
using simdjson::dom::element;
using simdjson::dom::element_type;

// Safe in JSON as they stand: no quotes, no backslashes, no control characters.
CosmosSpecimen named(const std::string& id, const std::string& key) {
    return {id, PartitionKey{key}, R"({"id":")" + id + R"(","pk":")" + key + R"(","v":1})"};
}
CosmosSpecimen keyed(const std::string& id, PartitionKey key, const std::string& json) {
    return {id, std::move(key), R"({"id":")" + id + R"(","pk":)" + json + R"(,"v":1})"};
}
CosmosSpecimen holding(const std::string& id, const std::string& value) {
    return {id, PartitionKey{"A"}, R"({"id":")" + id + R"(","pk":"A","v":)" + value + "}"};
}

std::string nested(int levels, const char* open, const char* close) {
    std::string text = "7";
    for (int level = 0; level < levels; ++level) text = open + text + close;
    return text;
}

std::string text_of(std::string_view text) {
    std::string out = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\') out += '\\';
        out += byte;
    }
    return out + '"';
}

std::string meaning_of(const element& value);

std::string meaning_of_object(const simdjson::dom::object& object) {
    static const std::set<std::string_view> added{"_rid", "_self", "_etag", "_ts", "_attachments"};
    std::map<std::string, std::string> members;
    for (const auto& [name, value] : object)
        if (!added.contains(name)) members[std::string{name}] = meaning_of(value);
    std::string out = "{";
    for (const auto& [name, value] : members) out += text_of(name) + ":" + value + ",";
    return out + "}";
}

std::string meaning_of(const element& value) {
    switch (value.type()) {
        case element_type::OBJECT: return meaning_of_object(value.get_object());
        case element_type::ARRAY: {
            std::string out = "[";
            for (const element one : value.get_array()) out += meaning_of(one) + ",";
            return out + "]";
        }
        case element_type::STRING: return text_of(std::string_view{value});
        case element_type::BOOL: return bool{value} ? "true" : "false";
        case element_type::NULL_VALUE: return "null";
        case element_type::INT64:
        case element_type::UINT64:
        case element_type::DOUBLE: break;
    }
    std::array<char, 32> text{};
    static_cast<void>(std::snprintf(text.data(), text.size(), "%.17g", double{value}));
    return text.data();
}

}  // namespace

std::vector<CosmosSpecimen> cosmos_corpus() {
    return {
        // Ids and keys.
        named("plain", "A"),
        named("with space", "two words"),
        named("grüße", "Zürich"),
        named("注文番号七", "東京都"),
        named("🚀 emoji 👩‍🚀", "🌍"),
        named("e\xCC\x81 and \xC3\xA9", "e\xCC\x81"),  // the same to the eye, and not the same
        named("100%25+1", "a%2Fb+c"),
        named("a:b@c!d$e&f'g(h)i*j,k;l=m~n", "[brackets] {braces}"),
        named("a.b", "dots.."),
        named("-_.~", "'; DROP"),
        named(std::string(255, 'x'), std::string(500, 'k')),
        keyed("number", PartitionKey{42}, "42"),
        keyed("fraction", PartitionKey{-1.5}, "-1.5"),
        keyed("true", PartitionKey{true}, "true"),
        keyed("false", PartitionKey{false}, "false"),
        keyed("null", PartitionKey{nullptr}, "null"),
        keyed("quotes", PartitionKey{R"("quoted" \ back)"}, R"("\"quoted\" \\ back")"),
        keyed("empty", PartitionKey{""}, R"("")"),
        {"none", PartitionKey::none(), R"({"id":"none","v":1})"},
        // Values.
        holding("nothing", "null"),
        holding("truths", "[true,false]"),
        holding("integers", "[0,-1,9007199254740991,-9007199254740991,2147483648]"),
        holding("reals", "[0.1,-2.5,1e300,-1e-300,5e-324,1.7976931348623157e308,3.0]"),
        // No number of JavaScript's holds them; whoever needs every digit writes text.
        holding("digits",
                R"(["123456789012345678901234567890.123456789","-18446744073709551616"])"),
        holding("texts", R"(["","quote \" back \\ slash / tab \t line \n nul \u0000 end"])"),
        holding("escapes", R"("\u00e4\ud83d\ude80\u2028")"),
        holding("languages", R"("Ελληνικά русский 中文 עברית العربية 🚀")"),
        holding("lists", R"([[],[[]],[1,"two",null,{"three":3}]])"),
        holding("maps", R"({"":"empty name","a b":1,"ä":2,"a/b":3,"$x":4,"nested":{"deep":{}}})"),
        holding("deep-lists", nested(60, "[", "]")),
        holding("deep-maps", nested(60, R"({"m":)", "}")),
        holding("long", "\"" + std::string(100'000, 'y') + "\""),
        holding(
            "wide", "[0" +
                        [] {
                            std::string more;
                            for (int n = 1; n < 5'000; ++n) more += "," + std::to_string(n);
                            return more;
                        }() +
                        "]"),
    };
}

std::string json_of(const std::vector<CosmosSpecimen>& specimens) {
    std::string out;
    for (const CosmosSpecimen& one : specimens) {
        out += out.empty() ? "[" : ",\n";
        const std::string key = one.key.header_text();  // a list of one
        const bool has_key = one.key != PartitionKey::none();
        out += has_key ? "{\"key\":" + key.substr(1, key.size() - 2) + "," : "{";
        out += "\"item\":" + one.json + "}";
    }
    return out + "]";
}

std::string meaning_of(std::string_view json) {
    simdjson::dom::parser parser;
    element value;
    const simdjson::padded_string text{json};
    if (parser.parse(text).get(value) != simdjson::SUCCESS)
        return "no JSON: " + std::string{json.substr(0, 200)};
    return meaning_of(value);
}

}  // namespace perdure::live
