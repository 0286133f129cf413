// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario_file_tree.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace tool {

namespace {

std::optional<std::size_t> number_in(std::string_view word, std::size_t most) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    if (number < 1 || number > most) return {};
    return number - 1;
}

std::string names_in(const Node& list) {
    std::string names;
    for (const Node& item : list.items)
        if (const Entry* name = item.find("name"))
            names += (names.empty() ? "" : ", ") + name->value.text;
    return names.empty() ? "1 to " + std::to_string(list.items.size()) : names;
}

// The table of a list that `word` means; takes the word off `rest` only if it is needed.
Node* member(Node& list, std::string_view word, std::string_view& rest, std::string_view after) {
    for (Node& item : list.items) {
        const Entry* name = std::as_const(item).find("name");
        if (name && name->value.text == word) return rest = after, &item;
    }
    if (const auto index = number_in(word, list.items.size()))
        return rest = after, &list.items[*index];
    return list.items.size() == 1 ? list.items.data() : nullptr;
}

struct Split {
    std::string_view word, after;
};
Split split(std::string_view path) {
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return {path, {}};
    return {path.substr(0, dot), path.substr(dot + 1)};
}

Node table_at(const Place& place) {
    Node node;
    node.place = place;
    return node;
}

}  // namespace

Node::Node(Kind what, std::string words, double value)
    : kind{what}, text{std::move(words)}, number{value} {}

const Entry* Node::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &Entry::key);
    return found == entries.end() ? nullptr : &*found;
}

Entry* Node::find(std::string_view key) {
    return const_cast<Entry*>(std::as_const(*this).find(key));
}

std::optional<std::string> graft(Node& tree, std::string_view path, const Node& leaf) {
    Node* at = &tree;
    for (std::string_view rest = path; !rest.empty();) {
        auto [word, after] = split(rest);
        if (word.empty()) return "`" + std::string{path} + "` has an empty part";
        if (at->kind == Node::Kind::list && !at->items.empty() &&
            at->items.front().kind == Node::Kind::table) {
            Node& list = *at;
            at = member(list, word, rest, after);
            if (!at)
                return "`" + std::string{word} + "` in `" + std::string{path} +
                       "` is none of them: " + names_in(list);
            continue;
        }
        // A value given as one word ("10ms") gives way to the table that the path wants.
        if (at->kind != Node::Kind::table) *at = table_at(leaf.place);
        Entry* entry = at->find(word);
        if (!entry)
            entry = &at->entries.emplace_back(
                Entry{std::string{word}, leaf.place, table_at(leaf.place)});
        at = &entry->value;
        rest = after;
        if (rest.empty()) entry->place = leaf.place;
    }
    *at = leaf;
    return {};
}

std::string in_words(const Place& place) {
    if (place.line == 0) return place.origin;
    return std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace tool
