// SPDX-License-Identifier: Apache-2.0
//
// What does an answer say? Its members are handed over one by one, in the order in which they came;
// those nobody takes are passed over.
//
//     GetAnswer answer;
//     PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
//         if (name != "Item") return {};
//         PERDURE_TRY_VALUE(answer.item, node.item());
//         return {};
//     }));
//
// What cannot be read fails with `corrupt` and the code "unreadable-answer", and says in words of our
// own what is wrong. The effect is the default one of the cause: the caller knows better.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/call/function_ref.hpp"
#include "perdure/dynamodb/item.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

class JsonNode;

// The name is good until read_object returns. A failure ends the reading and is given back.
using MemberReader = FunctionRef<Result<void>(std::string_view name, JsonNode& value)>;
using ElementReader = FunctionRef<Result<void>(JsonNode& value)>;

enum class JsonKind : std::uint8_t { none, boolean, number, string, array, object };

// A value in the text that is being read; good inside the callback it was handed to, and read once.
class JsonNode {
public:
    JsonNode(const JsonNode&) = delete;
    JsonNode& operator=(const JsonNode&) = delete;

    [[nodiscard]] Result<JsonKind> kind();
    [[nodiscard]] bool is_null();

    // An attribute value: {"S":"…"}. At most 64 levels; an unknown letter is unreadable.
    [[nodiscard]] Result<Value> value();
    // Attributes: {"pk":{"S":"…"}}. A name that stands there twice is unreadable.
    [[nodiscard]] Result<Item> item();
    // Attributes as plain JSON has them.
    [[nodiscard]] Result<Item> plain_item();

    [[nodiscard]] Result<std::string> text();
    // Unescaped; good until read_object returns. Saves the copy.
    [[nodiscard]] Result<std::string_view> view();
    [[nodiscard]] Result<double> real();
    [[nodiscard]] Result<std::int64_t> integer();
    [[nodiscard]] Result<bool> truth();
    // The JSON itself, as it came.
    [[nodiscard]] Result<std::string> raw();

    [[nodiscard]] Result<void> each_member(MemberReader member);
    [[nodiscard]] Result<void> each_element(ElementReader element);

private:
    friend struct JsonAccess;
    explicit JsonNode(void* value) noexcept : value_{value} {}

    void* value_;  // the library's own, which stays in the source
};

// The whole text must be one object with nothing behind it. Any thread; each keeps a parser and a
// buffer, of at most 1 MB together between two calls. May be called from within a callback.
[[nodiscard]] Result<void> read_object(std::string_view json, MemberReader member);

[[nodiscard]] Failure unreadable(std::string message);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
