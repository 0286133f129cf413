// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/partition_key.hpp"

#include <charconv>
#include <cmath>

#include "key_part.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/limits.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

void append_escape(std::string& out, std::uint32_t code) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += digits[code >> shift & 15U];
}

// A character of `bytes` valid bytes, as one escape or two.
void append_escaped(std::string& out, std::string_view character) {
    if (character.empty()) return append_escape(out, 0xfffd);
    std::uint32_t code = static_cast<unsigned char>(character[0]);
    if (character.size() > 1) code &= 0x7fU >> character.size();
    for (const char c : character.substr(1))
        code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
    if (code < 0x10000) return append_escape(out, code);
    append_escape(out, 0xd800U + ((code - 0x10000U) >> 10U));
    append_escape(out, 0xdc00U + ((code - 0x10000U) & 0x3ffU));
}

void append_text(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const char c = text[0];
        if (c >= 0x20 && c < 0x7f) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
            text.remove_prefix(1);
            continue;
        }
        const std::size_t length = valid_character(text);
        append_escaped(out, text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

void append_number(std::string& out, double number) {
    char text[32];
    constexpr double whole_below = 9007199254740992.0;
    if (std::abs(number) < whole_below && number == std::trunc(number)) {
        const auto end =
            std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(number)).ptr;
        out.append(text, end);
    } else if (std::isfinite(number)) {
        out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
    } else {
        out += "null";
    }
}

void append_part(std::string& out, const KeyPart& part) {
    switch (part.kind()) {
        case PartKind::undefined: out += "{}"; return;
        case PartKind::null: out += "null"; return;
        case PartKind::boolean: out += part.truth() ? "true" : "false"; return;
        case PartKind::number: return append_number(out, part.number());
        case PartKind::string: return append_text(out, part.text());
    }
}

Fail refuse_partition_key(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "invalid-partition-key",
                 .message = std::move(message)});
}

}  // namespace

Trouble read_key_part(JsonScan& scan, KeyPart& part) {
    switch (scan.next()) {
        case JsonType::null: part = nullptr; return scan.skip();
        case JsonType::truth: {
            bool truth = false;
            if (const Trouble trouble = scan.truth(truth)) return trouble;
            part = truth;
            return fine;
        }
        case JsonType::number: {
            double number = 0;
            if (const Trouble trouble = scan.real(number)) return trouble;
            part = number;
            return fine;
        }
        case JsonType::string: {
            std::string text;
            if (const Trouble trouble = scan.string(text)) return trouble;
            part = std::move(text);
            return fine;
        }
        case JsonType::object:
            part = KeyPart{};
            return scan.members([](std::string_view) { return "an object has no place in a key"; });
        case JsonType::array: return "a list has no place in a key";
        case JsonType::nothing: break;
    }
    return scan.skip();
}

bool PartitionKey::add(KeyPart part) {
    if (count_ == most_parts) return false;
    parts_[count_++] = std::move(part);
    return true;
}

Result<PartitionKey> PartitionKey::parse(std::string_view json) {
    PartitionKey key;
    JsonScan scan{json};
    Trouble trouble = is_utf8(json) ? fine : "it is not UTF-8";
    if (!trouble)
        trouble = scan.elements([&]() -> Trouble {
            KeyPart part;
            if (const Trouble found = read_key_part(scan, part)) return found;
            return key.add(std::move(part)) ? fine : "it has more than three values";
        });
    if (!trouble) trouble = scan.end();
    if (trouble)
        return refuse_partition_key(std::string{"the partition key is no JSON list of values: "} +
                                    trouble);
    return key;
}

void PartitionKey::append_to(std::string& out) const {
    char mark = '[';
    for (const KeyPart& part : parts()) {
        out += mark;
        append_part(out, part);
        mark = ',';
    }
    out += empty() ? "[]" : "]";
}

std::string PartitionKey::header_text() const {
    std::string text;
    append_to(text);
    return text;
}

Result<void> check(const PartitionKey& key) {
    if (key.empty()) return refuse_partition_key("a partition key has at least one value");
    std::size_t size = 0;
    for (const KeyPart& part : key.parts()) {
        if (part.kind() == PartKind::number && !std::isfinite(part.number()))
            return refuse_partition_key("a number in the partition key is not finite");
        if (!is_utf8(part.text()))
            return refuse_partition_key("a text in the partition key is not UTF-8");
        size += part.text().size();
    }
    if (size <= largest_partition_key) return {};
    return refuse_partition_key("the partition key has " + std::to_string(size) +
                                " bytes, and may have " + std::to_string(largest_partition_key));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
