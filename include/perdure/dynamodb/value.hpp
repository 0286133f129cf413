// SPDX-License-Identifier: Apache-2.0
//
// What can stand in an attribute? One of ten types, told apart by what it is made from: text is
// never a truth, a truth is never a number.
//
//     Value name{"Ada"}, total{1299}, rate{0.5}, paid{true}, gone{null};
//     if (const std::string* text = name.as<std::string>()) use(*text);
//     const Result<std::int64_t> cents = total.read<std::int64_t>();
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/dynamodb/binary.hpp"
#include "perdure/dynamodb/item.hpp"
#include "perdure/dynamodb/number.hpp"
#include "perdure/dynamodb/set.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// An attribute that is there and says nothing.
struct Null {
    friend constexpr bool operator==(Null, Null) noexcept { return true; }
};
inline constexpr Null null{};

using List = std::vector<Value>;

// In the order of the alternatives in Value.
enum class Type : std::uint8_t {
    none,
    boolean,
    string,
    number,
    binary,
    string_set,
    number_set,
    binary_set,
    list,
    map,
};
// The service's letters: "NULL", "BOOL", "S", "N", "B", "SS", "NS", "BS", "L", "M".
[[nodiscard]] std::string_view letters(Type type) noexcept;

// A plain value; shared by threads only while nobody changes it.
class Value {
public:
    Value() noexcept = default;  // null
    Value(Null) noexcept {}
    Value(std::nullptr_t) noexcept {}
    Value(std::same_as<bool> auto truth) noexcept : held_{std::in_place_type<bool>, truth} {}
    Value(std::string text) noexcept : held_{std::in_place_type<std::string>, std::move(text)} {}
    Value(std::string_view text) : held_{std::in_place_type<std::string>, text} {}
    // A null pointer is null.
    Value(const char* text) {
        if (text) held_.emplace<std::string>(text);
    }
    template <class T>
        requires(Integer<T> || Real<T>)
    Value(T number) : held_{std::in_place_type<Number>, number} {}
    Value(Number number) noexcept : held_{std::move(number)} {}
    Value(Binary bytes) noexcept : held_{std::move(bytes)} {}
    Value(StringSet set) noexcept : held_{std::move(set)} {}
    Value(NumberSet set) noexcept : held_{std::move(set)} {}
    Value(BinarySet set) noexcept : held_{std::move(set)} {}
    Value(List list) noexcept : held_{std::move(list)} {}
    Value(Item map) noexcept : held_{std::move(map)} {}

    [[nodiscard]] Type type() const noexcept { return static_cast<Type>(held_.index()); }
    [[nodiscard]] bool is_null() const noexcept { return type() == Type::none; }

    // What it holds, if it is exactly of this type: Null, bool, std::string, Number, Binary,
    // StringSet, NumberSet, BinarySet, List or Item.
    template <class T>
    [[nodiscard]] const T* as() const noexcept {
        return std::get_if<T>(&held_);
    }
    template <class T>
    [[nodiscard]] T* as() noexcept {
        return std::get_if<T>(&held_);
    }

    // Makes it hold this instead.
    template <class T, class... Args>
    T& emplace(Args&&... args) {
        return held_.template emplace<T>(std::forward<Args>(args)...);
    }

    // A copy of the same types; a number also as any integer, float or double that can hold it.
    template <class T>
    [[nodiscard]] Result<T> read() const;

    // Equal as written: sets and maps in whatever order, numbers digit for digit.
    friend bool operator==(const Value& a, const Value& b) { return a.held_ == b.held_; }

private:
    std::variant<Null, bool, std::string, Number, Binary, StringSet, NumberSet, BinarySet, List,
                 Item>
        held_{};
};

struct Attribute {
    Attribute(std::string called, Value held) noexcept
        : name{std::move(called)}, value{std::move(held)} {}
    explicit Attribute(std::string_view called) : name{called} {}

    std::string name;
    Value value;

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

// Here, where an attribute is complete.
inline Item::Item() noexcept = default;
inline Item::Item(Item&& other) noexcept = default;
inline Item& Item::operator=(Item&& other) noexcept = default;
inline Item::~Item() = default;
inline std::size_t Item::size() const noexcept { return attributes_.size(); }
inline bool Item::empty() const noexcept { return attributes_.empty(); }
inline const Attribute* Item::begin() const noexcept { return attributes_.data(); }
inline const Attribute* Item::end() const noexcept { return begin() + size(); }

[[nodiscard]] bool same_key(const Value& a, const Value& b);

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

Failure wrong_type(std::string_view wanted, Type found);
Failure missing(std::string_view name);
Failure about(std::string_view name, Failure failure);  // with the attribute's name in front

template <class T>
constexpr std::string_view name_of() noexcept {
    if constexpr (std::same_as<T, bool>) return "a truth";
    else if constexpr (std::same_as<T, std::string>) return "a string";
    else if constexpr (std::same_as<T, Binary>) return "binary";
    else if constexpr (std::same_as<T, StringSet>) return "a set of strings";
    else if constexpr (std::same_as<T, NumberSet>) return "a set of numbers";
    else if constexpr (std::same_as<T, BinarySet>) return "a set of binaries";
    else if constexpr (std::same_as<T, List>) return "a list";
    else if constexpr (std::same_as<T, Item>) return "a map";
    else return "a number";
}

template <class T>
Result<T> read_attribute(const Item& item, std::string_view name) {
    const Value* const value = item.find(name);
    if constexpr (is_optional<T>) {
        if (!value || value->is_null()) return T{};
        auto read = read_attribute<typename T::value_type>(item, name);
        if (!read) return read.take_failure();
        return T{*std::move(read)};
    } else {
        if (!value) return fail(missing(name));
        auto read = value->template read<T>();
        if (!read) return fail(about(name, std::move(read).error()));
        return read;
    }
}

}  // namespace detail

template <class T>
Result<T> Value::read() const {
    if constexpr (std::same_as<T, Value>) {
        return *this;
    } else if constexpr (Integer<T> || Real<T>) {
        if (const Number* const number = as<Number>()) return number->to<T>();
        return fail(detail::wrong_type(detail::name_of<T>(), type()));
    } else {
        if (const T* const held = as<T>()) return *held;
        return fail(detail::wrong_type(detail::name_of<T>(), type()));
    }
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
