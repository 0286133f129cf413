// SPDX-License-Identifier: Apache-2.0
#include "live/dynamodb/support/corpus.hpp"

#include <algorithm>
#include <utility>

namespace perdure::live {
namespace {

using namespace dynamodb;

constexpr const char* largest = "9.9999999999999999999999999999999999999E+125";
constexpr const char* lowest = "-9.9999999999999999999999999999999999999E+125";
constexpr const char* smallest = "1E-130";
constexpr const char* closest_below_zero = "-1E-130";
constexpr const char* longest = "12345678901234567890123456789012345678";
constexpr const char* long_fraction = "-0.12345678901234567890123456789012345678";

Number number(const char* text) { return Number::as_written(text); }

std::string every_byte() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
}

// As many maps within each other as the service takes: 32 levels, the outermost being the item's
// attribute.
Value nested_maps(int levels) {
    Value inner{"deep"};
    for (int level = 1; level < levels; ++level) {
        Item map;
        map.set("m", std::move(inner));
        inner = Value{std::move(map)};
    }
    return inner;
}
std::string nested_maps_json(int levels) {
    std::string text = R"({"S":"deep"})";
    for (int level = 1; level < levels; ++level) text = R"({"M":{"m":)" + text + "}}";
    return text;
}
Value nested_lists(int levels) {
    Value inner{7};
    for (int level = 1; level < levels; ++level) inner = Value{List{std::move(inner)}};
    return inner;
}
std::string nested_lists_json(int levels) {
    std::string text = R"({"N":"7"})";
    for (int level = 1; level < levels; ++level) text = R"({"L":[)" + text + "]}";
    return text;
}

Specimen of(std::string name, Value value, const std::string& json) {
    Item item{{"pk", name}};
    item.set("v", std::move(value));
    std::string text = R"({"pk":{"S":")" + name + R"("},"v":)" + json + "}";
    return {std::move(name), std::move(item), std::move(text)};
}

bool same_value_of(const Value& a, const Value& b);

bool same_numbers(const NumberSet& a, const NumberSet& b) {
    const auto has = [&](const Number& wanted) {
        return std::any_of(b.begin(), b.end(),
                           [&](const Number& one) { return same_value(wanted, one); });
    };
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), has);
}

bool same_list(const List& a, const List& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value_of);
}

bool same_value_of(const Value& a, const Value& b) {
    if (a.type() != b.type()) return false;
    switch (a.type()) {
        case Type::number: return same_value(*a.as<Number>(), *b.as<Number>());
        case Type::number_set: return same_numbers(*a.as<NumberSet>(), *b.as<NumberSet>());
        case Type::list: return same_list(*a.as<List>(), *b.as<List>());
        case Type::map: return same_meaning(*a.as<Item>(), *b.as<Item>());
        default: return a == b;
    }
}

}  // namespace

bool same_meaning(const Item& a, const Item& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&](const Attribute& one) {
        const Value* const other = b.find(one.name);
        return other && same_value_of(one.value, *other);
    });
}

std::vector<Specimen> corpus() {
    std::vector<Specimen> all{
        of("string", "plain", R"({"S":"plain"})"),
        of("empty string", "", R"({"S":""})"),
        of("unicode", "Gr\u00fc\u00dfe \u4e16\u754c \U0001F30D", R"({"S":"Grüße 世界 🌍"})"),
        of("escapes", "quote \" back \\ slash / tab \t line \n bell \a null end",
           R"({"S":"quote \" back \\ slash / tab \t line \n bell \u0007 null end"})"),
        of("zero byte", std::string{"a\0b", 3}, R"({"S":"a\u0000b"})"),
        of("integer", 42, R"({"N":"42"})"),
        of("negative fraction", -0.5, R"({"N":"-0.5"})"),
        of("largest number", number(largest), R"({"N":")" + std::string{largest} + R"("})"),
        of("lowest number", number(lowest), R"({"N":")" + std::string{lowest} + R"("})"),
        of("smallest numbers", List{number(smallest), number(closest_below_zero)},
           R"({"L":[{"N":"1E-130"},{"N":"-1E-130"}]})"),
        of("38 digits", List{number(longest), number(long_fraction)},
           R"({"L":[{"N":")" + std::string{longest} + R"("},{"N":")" + long_fraction + R"("}]})"),
        of("ways to write", List{number("100"), number("1e2"), number("1.50"), number("0")},
           R"({"L":[{"N":"100"},{"N":"100"},{"N":"1.5"},{"N":"0"}]})"),
        of("binary", Binary{std::string{"\x00\x01\xfe\xff", 4}}, R"({"B":"AAH+/w=="})"),
        of("empty binary", Binary{}, R"({"B":""})"),
        of("truths", List{true, false}, R"({"L":[{"BOOL":true},{"BOOL":false}]})"),
        of("null", null, R"({"NULL":true})"),
        of("string set", StringSet{"b", "a", "\u00e4"}, R"({"SS":["a","b","ä"]})"),
        of("number set", NumberSet{3, -1, 2.5}, R"({"NS":["2.5","3","-1"]})"),
        of("binary set", BinarySet{Binary{"a"}, Binary{"bc"}}, R"({"BS":["YQ==","YmM="]})"),
        of("empty containers", List{List{}, Item{}}, R"({"L":[{"L":[]},{"M":{}}]})"),
        of("mixed", List{Item{{"a b", 1}, {"#.:", "x"}}, List{null, "y"}, 1},
           R"({"L":[{"M":{"a b":{"N":"1"},"#.:":{"S":"x"}}},{"L":[{"NULL":true},{"S":"y"}]},{"N":"1"}]})"),
        of("32 maps", nested_maps(32), nested_maps_json(32)),
        of("32 lists", nested_lists(32), nested_lists_json(32)),
    };
    all.push_back(of("every byte", Binary{every_byte()},
                     R"({"B":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v)"
                     R"(MDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5f)"
                     R"(YGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6P)"
                     R"(kJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/)"
                     R"(wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v)"
                     R"(8PHy8/T19vf4+fr7/P3+/w=="})"));
    return all;
}

std::string json_of(const std::vector<Specimen>& specimens) {
    std::string text = "[";
    for (const Specimen& one : specimens) text += (text.size() > 1 ? ",\n" : "") + one.json;
    return text + "]\n";
}

}  // namespace perdure::live
