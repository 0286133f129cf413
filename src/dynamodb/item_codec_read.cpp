// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base64.hpp"
#include "json_parsing.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// A type by its letters, which fit into a number together with their count.
constexpr std::uint64_t packed(std::string_view letters) noexcept {
    std::uint64_t bits = letters.size();
    if (letters.size() > 4) return 0;
    for (const char c : letters) bits = bits << 8U | static_cast<unsigned char>(c);
    return bits;
}

// From the text between the quotes.
struct MakeString {
    static Trouble make(std::string_view text, std::string& to) {
        to = text;
        return fine;
    }
};
struct MakeNumber {
    static Trouble make(std::string_view text, Number& to) {
        if (!reads_as_number(text)) return "a number's text is none";
        to = Number::as_written(std::string{text});
        return fine;
    }
};
struct MakeBinary {
    static Trouble make(std::string_view text, Binary& to) {
        std::string bytes;
        if (!decode_base64(text, bytes)) return "binary is not base64";
        to = Binary{std::move(bytes)};
        return fine;
    }
};

template <class Make, class T>
Trouble read_one(ondemand::value& value, T& to) {
    std::string_view text;
    if (const Trouble trouble = read_text(value, text)) return trouble;
    return Make::make(text, to);
}

template <class Make, class T>
Trouble read_set(ondemand::value& value, Set<T>& to) {
    to.reserve(4);
    return each_entry(value, [&](ondemand::value& element) {
        T one;
        const Trouble trouble = read_one<Make>(element, one);
        if (!trouble) to.add(std::move(one));
        return trouble;
    });
}

Trouble read_truth(ondemand::value& value, Value& to) {
    bool truth = false;
    if (const auto error = value.get_bool().get(truth)) return words_for(error);
    to.emplace<bool>(truth);
    return fine;
}

Trouble read_null(ondemand::value& value, Value& to) {
    bool truth = false;
    if (const auto error = value.get_bool().get(truth)) return words_for(error);
    to.emplace<Null>();
    return truth ? fine : "a null is not true";
}

Trouble read_list(ondemand::value& value, List& list, int level) {
    if (level > deepest_reading) return words_for(simdjson::DEPTH_ERROR);
    return each_entry(value, [&](ondemand::value& element) {
        return read_value(element, list.emplace_back(), level + 1);
    });
}

Trouble read_map(ondemand::value& value, Item& map, int level) {
    if (level > deepest_reading) return words_for(simdjson::DEPTH_ERROR);
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return words_for(error);
    return read_attributes(object, map, level + 1);
}

Trouble read_typed(std::string_view type, ondemand::value& value, Value& to, int level) {
    switch (packed(type)) {
        case packed("S"): return read_one<MakeString>(value, to.emplace<std::string>());
        case packed("N"): return read_one<MakeNumber>(value, to.emplace<Number>());
        case packed("B"): return read_one<MakeBinary>(value, to.emplace<Binary>());
        case packed("BOOL"): return read_truth(value, to);
        case packed("NULL"): return read_null(value, to);
        case packed("SS"): return read_set<MakeString>(value, to.emplace<StringSet>());
        case packed("NS"): return read_set<MakeNumber>(value, to.emplace<NumberSet>());
        case packed("BS"): return read_set<MakeBinary>(value, to.emplace<BinarySet>());
        case packed("L"): return read_list(value, to.emplace<List>(), level);
        case packed("M"): return read_map(value, to.emplace<Item>(), level);
        default: return "an attribute value has an unknown type";
    }
}

struct Glance {
    char type = 0;
    std::string_view text{};
};

// What most values are, {"S":"…"} or {"N":"…"}, nothing escaped and no space between, is seen without
// taking the object apart; simdjson then passes over it. No type: it looks otherwise.
Glance glance_at(ondemand::value& value) noexcept {
    const char* const begin = value.raw_json_token().data();
    if (std::memcmp(begin, "{\"", 2) != 0 || std::memcmp(begin + 3, "\":\"", 3) != 0) return {};
    const char* const text = begin + 6;
    const char* const end = end_or_escape(text);
    if (end[0] != '"' || end[1] != '}') return {};
    return {begin[2], {text, static_cast<std::size_t>(end - text)}};
}

// The same for a truth.
std::optional<bool> truth_at(ondemand::value& value) noexcept {
    const char* const begin = value.raw_json_token().data();
    if (std::memcmp(begin, R"({"BOOL":)", 8) != 0) return std::nullopt;
    if (std::memcmp(begin + 8, "true}", 5) == 0) return true;
    if (std::memcmp(begin + 8, "false}", 6) == 0) return false;
    return std::nullopt;
}

// One of 64, by its length and its ends.
std::uint64_t mark_of(std::string_view name) noexcept {
    if (name.empty()) return 1;
    const auto first = static_cast<unsigned char>(name.front());
    const auto last = static_cast<unsigned char>(name.back());
    return std::uint64_t{1} << ((name.size() + first * 3U + last * 7U) % 64U);
}

}  // namespace

Trouble read_value(ondemand::value& value, Value& to, int level) {
    switch (const Glance seen = glance_at(value); seen.type) {
        case 'S': return MakeString::make(seen.text, to.emplace<std::string>());
        case 'N': return MakeNumber::make(seen.text, to.emplace<Number>());
        case 'B': return MakeBinary::make(seen.text, to.emplace<Binary>());
        default: break;
    }
    if (const auto truth = truth_at(value)) return to.emplace<bool>(*truth), fine;
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return words_for(error);
    int types = 0;
    const Trouble trouble = each_field(object, [&](std::string_view type, ondemand::value& inner) {
        if (++types > 1) return "an attribute value has two types";
        return read_typed(type, inner, to, level);
    });
    if (trouble) return trouble;
    return types == 1 ? fine : "an attribute value has no type";
}

Trouble read_attributes(ondemand::object& object, Item& to, int level) {
    to.reserve(level == 0 ? 16 : 4);
    std::uint64_t marks = 0;  // of the names so far: most are seen to be new without a search
    return each_field(object, [&](std::string_view name, ondemand::value& value) -> Trouble {
        const std::uint64_t mark = mark_of(name);
        if ((marks & mark) != 0 && to.has(name)) return "an attribute stands there twice";
        marks |= mark;
        return read_value(value, to.append(name), level);
    });
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
