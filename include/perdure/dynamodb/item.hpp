// SPDX-License-Identifier: Apache-2.0
//
// What is stored under one key? Named attributes, in the order in which they were written.
//
//     Item order{{"pk", "o#1"}, {"total", 1299}, {"paid", true}, {"tags", StringSet{"a", "b"}},
//                {"lines", List{1, 2}}, {"photo", Binary{bytes}}, {"gone", null}};
//     const Result<std::int64_t> total = order.get<std::int64_t>("total");
//     const auto note = order.get<std::optional<std::string>>("note");   // missing: nothing
//     if (const Value* photo = order.find("photo")) keep(*photo);
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

class Value;
class Item;
struct Attribute;

namespace detail {
template <class T>
Result<T> read_attribute(const Item& item, std::string_view name);
std::size_t slots_searched(const Item& item, std::string_view name) noexcept;
}  // namespace detail

// A plain value; shared by threads only while nobody changes it. Also the map type, and a key.
//
// Names are compared one by one while there are few. From 33 on a table of their hashes, keyed in each
// process, is kept beside them, so that an item of thousands is not built in the square of its size,
// also if a stranger chose the names.
class Item {
public:
    Item() noexcept;
    // A name that stands there twice: the last one counts.
    Item(std::initializer_list<Attribute> attributes);
    Item(const Item& other);
    Item(Item&& other) noexcept;
    Item& operator=(const Item& other);
    Item& operator=(Item&& other) noexcept;
    ~Item();

    // Instead of what stood under this name, in its place; else at the end. Gives the item back, so
    // that calls can be chained.
    Item& set(std::string name, Value value);
    // Whether there was one.
    bool remove(std::string_view name);
    // For a name that is surely not there yet; nobody looks.
    Value& append(std::string name, Value value);
    Value& append(std::string_view name);  // null at first, to be filled in
    void reserve(std::size_t attributes);
    void clear() noexcept;

    [[nodiscard]] const Value* find(std::string_view name) const noexcept;
    [[nodiscard]] Value* find(std::string_view name) noexcept;
    [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
    // What Value::read takes, and std::optional of it, which is nothing where the attribute is
    // missing or null. The failure (`invalid`) names the attribute and both types, never the value.
    template <class T>
    [[nodiscard]] Result<T> get(std::string_view name) const {
        return detail::read_attribute<T>(*this, name);
    }

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept;
    [[nodiscard]] const Attribute* begin() const noexcept;
    [[nodiscard]] const Attribute* end() const noexcept;

    // The same names with equal values, in whatever order.
    friend bool operator==(const Item& a, const Item& b);
    friend std::size_t detail::slots_searched(const Item& item, std::string_view name) noexcept;

private:
    using Table = std::vector<std::uint32_t>;  // positions + 1 by hash of the name; 0: free

    [[nodiscard]] std::size_t position(std::string_view name) const noexcept;
    Value& entered();
    void enter(std::size_t position) noexcept;
    void rebuild();

    std::vector<Attribute> attributes_;
    std::unique_ptr<Table> table_;  // nothing: few attributes
};

// What DynamoDB takes at most.
inline constexpr std::size_t largest_item = std::size_t{400} * 1024;
inline constexpr std::size_t deepest_nesting = 32;
inline constexpr std::size_t longest_name = 65'535;

// Bytes as DynamoDB counts them: names and values, numbers by their digits, containers by their
// entries. For numbers the service promises no more than "about", and neither do we.
[[nodiscard]] std::size_t stored_size(const Item& item);
[[nodiscard]] std::size_t stored_size(const Value& value);

// Refuses what the service would refuse later and less clearly, or could not even read: empty or
// overlong names, empty sets and sets with duplicates, lists and maps more than 32 levels deep, over
// 400 KB, numbers out of range, broken UTF-8. `invalid` or `too_large`, with effect none; names the
// path ("lines[3].sku"), never a value.
[[nodiscard]] Result<void> check(const Item& item);

// Whether both are the same key to the service, which compares numbers by what they mean.
[[nodiscard]] bool same_key(const Item& a, const Item& b);
// A text that is equal for the same keys and for no others, for sets of keys.
[[nodiscard]] std::string key_text(const Item& key);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

#include "perdure/dynamodb/value.hpp"
