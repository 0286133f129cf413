// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/item.hpp"

#include <algorithm>
#include <bit>

#include "item_search.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t few = 32;
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

// A map's names may be those of a stranger.
std::size_t hash_of(std::string_view name) noexcept { return KeyedHash{}(name); }

// Length first, so that no two texts of parts run into one another.
void append_part(std::string& text, std::string_view part) {
    text.append(std::to_string(part.size())).append(1, ':').append(part);
}

std::string_view bytes_of(const Value& value, std::string& kept) {
    if (const auto* const text = value.as<std::string>()) return *text;
    if (const auto* const binary = value.as<Binary>()) return binary->bytes();
    if (const auto* const number = value.as<Number>()) {
        kept = number->canonical().value_or(number->text());
        return kept;
    }
    return {};  // nothing else can be part of a key
}

}  // namespace

Item::Item(std::initializer_list<Attribute> attributes) {
    reserve(attributes.size());
    for (const Attribute& attribute : attributes) set(attribute.name, attribute.value);
}

Item::Item(const Item& other)
    : attributes_{other.attributes_},
      table_{other.table_ ? std::make_unique<Table>(*other.table_) : nullptr} {}

Item& Item::operator=(const Item& other) {
    Item copy{other};
    return *this = std::move(copy);
}

Item& Item::set(std::string name, Value value) {
    if (Value* const held = find(name)) *held = std::move(value);
    else append(std::move(name), std::move(value));
    return *this;
}

bool Item::remove(std::string_view name) {
    const std::size_t at = position(name);
    if (at == nowhere) return false;
    attributes_.erase(attributes_.begin() + static_cast<std::ptrdiff_t>(at));
    if (table_) rebuild();
    return true;
}

Value& Item::append(std::string name, Value value) {
    attributes_.emplace_back(std::move(name), std::move(value));
    return entered();
}

Value& Item::append(std::string_view name) {
    attributes_.emplace_back(name);
    return entered();
}

// Of the last one: it may be that names are many now.
Value& Item::entered() {
    if (size() > few) {
        if (!table_ || table_->size() < 2 * size()) rebuild();
        else enter(size() - 1);
    }
    return attributes_.back().value;
}

void Item::reserve(std::size_t attributes) { attributes_.reserve(attributes); }

void Item::clear() noexcept {
    attributes_.clear();
    table_.reset();
}

const Value* Item::find(std::string_view name) const noexcept {
    const std::size_t at = position(name);
    return at == nowhere ? nullptr : &attributes_[at].value;
}

Value* Item::find(std::string_view name) noexcept {
    const std::size_t at = position(name);
    return at == nowhere ? nullptr : &attributes_[at].value;
}

std::size_t detail::slots_searched(const Item& item, std::string_view name) noexcept {
    if (!item.table_) return 0;
    const Item::Table& table = *item.table_;
    const std::size_t slot = hash_of(name);
    for (std::size_t searched = 1;; ++searched) {
        const std::uint32_t entry = table[(slot + searched - 1) & (table.size() - 1)];
        if (entry == 0 || item.attributes_[entry - 1].name == name) return searched;
    }
}

std::size_t Item::position(std::string_view name) const noexcept {
    if (!table_) {
        for (std::size_t i = 0; i < attributes_.size(); ++i)
            if (attributes_[i].name == name) return i;
        return nowhere;
    }
    const Table& table = *table_;
    for (std::size_t slot = hash_of(name);; ++slot) {
        const std::uint32_t entry = table[slot & (table.size() - 1)];
        if (entry == 0) return nowhere;
        if (attributes_[entry - 1].name == name) return entry - 1;
    }
}

void Item::enter(std::size_t position) noexcept {
    Table& table = *table_;
    std::size_t slot = hash_of(attributes_[position].name);
    while (table[slot & (table.size() - 1)] != 0) ++slot;
    table[slot & (table.size() - 1)] = static_cast<std::uint32_t>(position + 1);
}

// At least half of the table is free, so that a search ends soon.
void Item::rebuild() {
    table_.reset();
    if (size() <= few) return;
    table_ = std::make_unique<Table>(std::bit_ceil(size() + 1) * 4);
    for (std::size_t i = 0; i < size(); ++i) enter(i);
}

bool operator==(const Item& a, const Item& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&](const Attribute& attribute) {
        const Value* const other = b.find(attribute.name);
        return other && *other == attribute.value;
    });
}

bool same_key(const Item& a, const Item& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.begin(), a.end(), [&](const Attribute& attribute) {
        const Value* const other = b.find(attribute.name);
        return other && same_key(attribute.value, *other);
    });
}

std::string key_text(const Item& key) {
    std::vector<const Attribute*> parts;
    for (const Attribute& attribute : key) parts.push_back(&attribute);
    std::sort(parts.begin(), parts.end(), [](auto* a, auto* b) { return a->name < b->name; });
    std::string text, kept;
    for (const Attribute* part : parts) {
        append_part(text, part->name);
        text += letters(part->value.type());
        append_part(text, bytes_of(part->value, kept));
    }
    return text;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
