// SPDX-License-Identifier: Apache-2.0
//
// What does a document hold? A tree that keeps the order of its members and the digits of its
// numbers, so that what goes in comes out.
//
//     auto item = Json::parse(body);
//     if (item && item->is_object()) item->set("_ts", Json::number("1767322245"));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// In numbers of documents and of queries.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A plain value.
class Json {
public:
    enum class Type : std::uint8_t { null, no, yes, number, string, array, object };
    using Member = std::pair<std::string, Json>;

    Json() = default;
    static Json text(std::string_view text) { return {Type::string, std::string{text}}; }
    static Json number(std::string_view digits) { return {Type::number, std::string{digits}}; }
    static Json number(double value);
    static Json array() { return {Type::array, {}}; }
    static Json object() { return {Type::object, {}}; }

    // Nothing for what is no JSON, or nested deeper than 128.
    static std::optional<Json> parse(std::string_view text);

    [[nodiscard]] Type type() const noexcept { return type_; }
    [[nodiscard]] bool is_object() const noexcept { return type_ == Type::object; }
    [[nodiscard]] bool is_array() const noexcept { return type_ == Type::array; }
    [[nodiscard]] bool is_string() const noexcept { return type_ == Type::string; }
    [[nodiscard]] bool is_number() const noexcept { return type_ == Type::number; }
    // Of a string its characters, of a number its digits.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] double as_double() const noexcept;
    // Of what is no object, none.
    [[nodiscard]] const Json* find(std::string_view name) const noexcept;
    [[nodiscard]] Json* find(std::string_view name) noexcept;
    // The characters of the member, if it is a string; else empty.
    [[nodiscard]] std::string_view word(std::string_view name) const noexcept;

    void set(std::string_view name, Json value);
    void remove(std::string_view name);
    [[nodiscard]] std::vector<Member>& members() noexcept { return members_; }
    [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
    [[nodiscard]] std::vector<Json>& elements() noexcept { return elements_; }
    [[nodiscard]] const std::vector<Json>& elements() const noexcept { return elements_; }

    void append_to(std::string& out) const;
    [[nodiscard]] std::string dump() const;

private:
    friend class JsonReader;
    Json(Type type, std::string text) : type_{type}, text_{std::move(text)} {}

    Type type_ = Type::null;
    std::string text_{};
    std::vector<Json> elements_{};
    std::vector<Member> members_{};
};

void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
