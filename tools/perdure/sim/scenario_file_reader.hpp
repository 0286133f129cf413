// SPDX-License-Identifier: Apache-2.0
//
// How does a table of a file become fields? Key by key, each with its unit and range; a key nobody
// asked for is a mistake, and the nearest one that exists is named.
//
//     Reader reader{table, "service.queue", problems};
//     reader.whole("limit", queue.limit, {.least = 0});
//     reader.duration("longest_wait", queue.longest_wait);
//     reader.close();
//
// Problems are collected, never thrown: a file with three mistakes gets three messages.
#pragma once

#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/sim/distribution.hpp"
#include "sim/scenario_file_tree.hpp"

namespace tool {

using namespace perdure;

struct Between {
    double least = 0;
    double most = 1e12;
    // Words for a value that is no number: {"unlimited", 2147483647}.
    std::string_view word{};
    double worth = 0;
};

// One owner; the table and the problems must outlive it.
class Reader {
public:
    Reader(const Node& table, std::string path, Problems& problems);

    // The entry's value if it is there; from then on its key is a known one.
    const Node* find(std::string_view key);
    const Node* table(std::string_view key);  // … if it is a table, else a problem
    // The tables of `[[key]]`, or the one of `[key]`.
    std::vector<const Node*> tables(std::string_view key);

    void text(std::string_view key, std::string& into);
    void texts(std::string_view key, std::vector<std::string>& into);
    void number(std::string_view key, double& into, const Between& range = {});
    void whole(std::string_view key, int& into, const Between& range = {});
    void duration(std::string_view key, Duration& into, std::string_view never_word = {});
    void distribution(std::string_view key, sim::Distribution& into);
    void distribution(std::string_view key, std::optional<sim::Distribution>& into);
    template <class Enum>
    void choice(std::string_view key, Enum& into,
                std::initializer_list<std::pair<std::string_view, Enum>> words) {
        const Node* node = find(key);
        if (!node) return;
        std::vector<std::string> names;
        for (const auto& [word, value] : words) {
            if (node->kind == Node::Kind::text && node->text == word) return void(into = value);
            names.emplace_back(word);
        }
        not_one_of(*node, key, names);
    }

    // Complains about the keys nobody asked for.
    void close();
    void complain(const Node& at, std::string_view key, std::string text);
    [[nodiscard]] std::string path(std::string_view key) const;
    [[nodiscard]] Problems& problems() { return problems_; }

private:
    void not_one_of(const Node& at, std::string_view key, const std::vector<std::string>& names);

    const Node& table_;
    const std::string path_;
    Problems& problems_;
    std::vector<std::string> known_;
};

// For values outside of tables: the points of a rate, the values of a sweep.
std::optional<Duration> duration_in(const Node& node, std::string& why_not);
std::optional<sim::Distribution> distribution_in(const Node& node, const std::string& path,
                                                 Problems& problems);
// "`a`, `b` or `c`"
std::string any_of(const std::vector<std::string>& words);

}  // namespace tool
