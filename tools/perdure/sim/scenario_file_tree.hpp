// SPDX-License-Identifier: Apache-2.0
//
// What stands in a TOML file, and where? A tree of our own: the parser behind it is included in one
// source only, and a value given on the command line is grafted into the same tree.
//
//     const Grown grown = tree_from("rate = 800\n");
//     grown.tree.find("rate")->value.number;       // 800, at line 1, column 1
//     graft(tree, "service.queue.limit", leaf_from("400", "--set"));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/did_you_mean.hpp"

namespace tool {

struct Place {
    int line = 0;  // 0: not from the file
    int column = 0;
    std::string origin{};  // then from where: "--set clients.rate=900"
};

// What is wrong, and with which words to mend it.
struct Problem {
    Place place{};
    std::string text{};
};
using Problems = std::vector<Problem>;

struct Entry;

// A value; tables and lists own what is in them.
struct Node {
    enum class Kind : unsigned char { table, list, text, number, truth, other };

    explicit Node(Kind what = Kind::table, std::string words = {}, double value = 0);

    Kind kind;
    Place place{};
    std::string text;  // of a number: as it was written, near enough
    double number;
    std::vector<Entry> entries;  // of a table, in the order of the file
    std::vector<Node> items{};   // of a list

    [[nodiscard]] const Entry* find(std::string_view key) const;
    [[nodiscard]] Entry* find(std::string_view key);
};

struct Entry {
    std::string key{};
    Place place{};
    Node value{};
};

struct Grown {
    Node tree{};
    std::optional<Problem> problem{};  // the file is no TOML
};
Grown tree_from(std::string_view text);

// `1.5`, `true`, `[1, 2]`, `{ exponential = "5ms" }` as TOML; all else as text.
Node leaf_from(std::string_view text, const std::string& origin);

// Puts the leaf where the path leads, making tables on the way. In a list of tables the next part of
// the path is the `name` of one, or its number from 1; a list of one needs neither. What is wrong
// with the path, or nothing.
std::optional<std::string> graft(Node& tree, std::string_view path, const Node& leaf);

// "12:3", or the origin.
std::string in_words(const Place& place);

}  // namespace tool
