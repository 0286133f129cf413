// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario_file_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/duration_text.hpp"

namespace tool {

namespace {

std::string shown(double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.10g", number);
    return text.data();
}

std::string kind_of(const Node& node) {
    switch (node.kind) {
        case Node::Kind::table: return "a table";
        case Node::Kind::list: return "a list";
        case Node::Kind::text: return "\"" + node.text.substr(0, 60) + "\"";
        case Node::Kind::number:
        case Node::Kind::truth: return node.text;
        case Node::Kind::other: break;
    }
    return "a date or time";
}

std::string range_in_words(const Between& range) {
    std::string words = range.most >= 1e12
                            ? "of at least " + shown(range.least)
                            : "from " + shown(range.least) + " to " + shown(range.most);
    if (!range.word.empty()) words += ", or \"" + std::string{range.word} + "\"";
    return words;
}

}  // namespace

std::string any_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "`" : i + 1 == words.size() ? " or `" : ", `") + words[i] + "`";
    return text;
}

Reader::Reader(const Node& table, std::string path, Problems& problems)
    : table_{table}, path_{std::move(path)}, problems_{problems} {}

std::string Reader::path(std::string_view key) const {
    return path_.empty() ? std::string{key} : path_ + "." + std::string{key};
}

void Reader::complain(const Node& at, std::string_view key, std::string text) {
    problems_.push_back({at.place, "`" + path(key) + "` " + std::move(text)});
}

const Node* Reader::find(std::string_view key) {
    known_.emplace_back(key);
    const Entry* entry = table_.find(key);
    return entry ? &entry->value : nullptr;
}

const Node* Reader::table(std::string_view key) {
    const Node* node = find(key);
    if (!node || node->kind == Node::Kind::table) return node;
    complain(*node, key, "is " + kind_of(*node) + " where a table belongs: { … }");
    return nullptr;
}

std::vector<const Node*> Reader::tables(std::string_view key) {
    const Node* node = find(key);
    if (!node) return {};
    if (node->kind == Node::Kind::table) return {node};
    std::vector<const Node*> found;
    for (const Node& item : node->items)
        if (item.kind == Node::Kind::table) found.push_back(&item);
    if (found.empty() || found.size() != node->items.size())
        complain(*node, key,
                 "is no table; write [" + path(key) + "], or [[" + path(key) + "]] for several");
    return found;
}

void Reader::text(std::string_view key, std::string& into) {
    const Node* node = find(key);
    if (!node) return;
    if (node->kind == Node::Kind::text) into = node->text;
    else complain(*node, key, "is " + kind_of(*node) + "; write text in \"quotes\"");
}

void Reader::texts(std::string_view key, std::vector<std::string>& into) {
    const Node* node = find(key);
    if (!node) return;
    into.clear();
    for (const Node& item : node->items)
        if (item.kind == Node::Kind::text) into.push_back(item.text);
    if (node->kind != Node::Kind::list || into.size() != node->items.size())
        complain(*node, key, "is no list of names; write [\"one\", \"another\"]");
}

void Reader::number(std::string_view key, double& into, const Between& range) {
    const Node* node = find(key);
    if (!node) return;
    if (node->kind == Node::Kind::text && !range.word.empty() && node->text == range.word)
        into = range.worth;
    else if (node->kind != Node::Kind::number || !(node->number >= range.least) ||
             !(node->number <= range.most))
        complain(*node, key, "is " + kind_of(*node) + "; it is a number " + range_in_words(range));
    else into = node->number;
}

void Reader::whole(std::string_view key, int& into, const Between& range) {
    Between bounded = range;
    bounded.most = std::min(range.most, 1e9);
    const Node* node = find(key);
    if (!node) return;
    if (node->kind == Node::Kind::text && !range.word.empty() && node->text == range.word)
        into = static_cast<int>(range.worth);
    else if (node->kind != Node::Kind::number || !(node->number >= bounded.least) ||
             !(node->number <= bounded.most) || node->number != std::floor(node->number))
        complain(*node, key,
                 "is " + kind_of(*node) + "; it is a whole number " + range_in_words(bounded));
    else into = static_cast<int>(node->number);
}

std::optional<Duration> duration_in(const Node& node, std::string& why_not) {
    if (node.kind == Node::Kind::number && node.number == 0) return Duration::zero();
    if (node.kind == Node::Kind::number) {
        why_not = "has no unit; write \"" + node.text + "ms\" or \"" + node.text + "s\"";
        return {};
    }
    if (node.kind != Node::Kind::text) {
        why_not = "is " + kind_of(node) + "; it is a duration: \"50ms\", \"1.5s\", \"2m\"";
        return {};
    }
    const auto parsed = parse_duration(node.text);
    if (parsed) return *parsed;
    why_not = "is no duration: " + parsed.error().message;
    return {};
}

void Reader::duration(std::string_view key, Duration& into, std::string_view never_word) {
    const Node* node = find(key);
    if (!node) return;
    if (!never_word.empty() && node->kind == Node::Kind::text && node->text == never_word)
        return void(into = never);
    std::string why_not;
    const auto found = duration_in(*node, why_not);
    if (found) return void(into = *found);
    if (!never_word.empty()) why_not += ", or \"" + std::string{never_word} + "\"";
    complain(*node, key, why_not);
}

void Reader::distribution(std::string_view key, sim::Distribution& into) {
    if (const Node* node = find(key))
        if (auto found = distribution_in(*node, path(key), problems_)) into = *std::move(found);
}

void Reader::distribution(std::string_view key, std::optional<sim::Distribution>& into) {
    const Node* node = find(key);
    if (!node) return;
    if (node->kind == Node::Kind::text && node->text == "none") into.reset();
    else if (auto found = distribution_in(*node, path(key), problems_)) into = std::move(found);
}

void Reader::not_one_of(const Node& at, std::string_view key,
                        const std::vector<std::string>& names) {
    complain(at, key,
             "is " + kind_of(at) + "; it is " + any_of(names) +
                 (at.kind == Node::Kind::text ? did_you_mean(at.text, names) : ""));
}

void Reader::close() {
    for (const Entry& entry : table_.entries)
        if (std::ranges::find(known_, entry.key) == known_.end()) {
            const std::string guess = did_you_mean(entry.key, known_);
            problems_.push_back(
                {entry.place,
                 "`" + path(entry.key).substr(0, 120) + "` is no key" +
                     (guess.empty() ? "; here one can write " + any_of(known_) : guess)});
        }
}

}  // namespace tool
