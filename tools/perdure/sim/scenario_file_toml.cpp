// SPDX-License-Identifier: Apache-2.0
//
// The only source that knows toml++.
namespace {
// toml++ 3.3 ends the program over keys such as [+x], or runs on undefined where assertions are off.
// Here it ends the parsing, in every build.
struct GaveUp {};
[[noreturn]] void give_up() { throw GaveUp{}; }
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(holds) static_cast<void>((holds) || (give_up(), false))
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "sim/scenario_file_tree.hpp"

namespace tool {

namespace {

Place place_of(const toml::source_region& region) {
    return {.line = static_cast<int>(region.begin.line),
            .column = static_cast<int>(region.begin.column)};
}

std::string written(double number) {
    std::ostringstream out;
    out.precision(12);
    out << number;
    return out.str();
}

Node node_from(const toml::node& from);

Node table_from(const toml::table& from) {
    Node node;
    for (const auto& [key, value] : from)
        node.entries.push_back({.key = std::string{key.str()},
                                .place = place_of(key.source()),
                                .value = node_from(value)});
    // The parser sorts by name; people mean their order.
    std::ranges::sort(node.entries, {}, [](const Entry& entry) {
        return std::pair{entry.place.line, entry.place.column};
    });
    return node;
}

Node list_from(const toml::array& from) {
    Node node{Node::Kind::list};
    for (const toml::node& item : from) node.items.push_back(node_from(item));
    return node;
}

Node node_from(const toml::node& from) {
    Node node{Node::Kind::other};
    if (const toml::table* table = from.as_table()) node = table_from(*table);
    else if (const toml::array* array = from.as_array()) node = list_from(*array);
    else if (const auto* text = from.as_string()) node = Node{Node::Kind::text, text->get()};
    else if (const auto truth = from.value_exact<bool>())
        node = Node{Node::Kind::truth, *truth ? "true" : "false"};
    else if (from.is_number()) {
        const double number = *from.value<double>();
        node = Node{Node::Kind::number, written(number), number};
    }
    node.place = place_of(from.source());
    return node;
}

void set_origin(Node& node, const Place& place) {
    node.place = place;
    for (Node& item : node.items) set_origin(item, place);
    for (Entry& entry : node.entries) {
        entry.place = place;
        set_origin(entry.value, place);
    }
}

// Where the parser gave up: it does not say so itself. The first line without which it does not.
int line_of_defeat(std::string_view text) {
    int line = 0;
    for (std::size_t end = 0; end != std::string_view::npos && text.size() < 100'000;) {
        end = text.find('\n', end);
        if (end != std::string_view::npos) ++end;
        ++line;
        try {
            static_cast<void>(toml::parse(text.substr(0, end)));
        } catch (const toml::parse_error&) {
            continue;  // a line cut out of a list or a long text is no defeat
        } catch (const GaveUp&) {
            return line;
        }
    }
    return 1;
}

}  // namespace

Grown tree_from(std::string_view text) {
    Problem problem;
    try {
        return {.tree = table_from(toml::parse(text)), .problem = {}};
    } catch (const toml::parse_error& error) {
        problem = {place_of(error.source()), std::string{error.description()}};
    } catch (const GaveUp&) {
        problem = {{.line = line_of_defeat(text), .column = 1}, "a key or value cannot begin so"};
    }
    problem.text.insert(0, "this is no TOML: ");
    return {.tree = Node{}, .problem = std::move(problem)};
}

Node leaf_from(std::string_view text, const std::string& origin) {
    const Grown grown = tree_from("value = " + std::string{text});
    const Entry* value = grown.tree.find("value");
    // A line end in the text would make further keys; then it is no value either.
    const bool good = !grown.problem && value && grown.tree.entries.size() == 1 &&
                      value->value.kind != Node::Kind::other;
    Node node = good ? value->value : Node{Node::Kind::text, std::string{text}};
    set_origin(node, {.origin = origin});
    return node;
}

}  // namespace tool
