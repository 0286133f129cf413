// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/document.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "key_part.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/limits.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Ends a reading that has found what it looked for.
constexpr Trouble enough = "enough";

// The next name of a path, taken off its front; false where the path is none.
bool take_name(std::string_view& path, std::string& name) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    name.clear();
    if (!path.starts_with('"')) {
        const auto end = std::min(path.find('/'), path.size());
        name = path.substr(0, end);
        path.remove_prefix(end);
        return true;
    }
    std::size_t end = 1;
    while (end < path.size() && path[end] != '"') end += path[end] == '\\' ? 2 : 1;
    if (end >= path.size()) return false;
    JsonScan scan{path.substr(0, end + 1)};
    if (scan.string(name)) return false;
    path.remove_prefix(end + 1);
    return path.empty() || path[0] == '/';
}

Trouble find(JsonScan& scan, std::string_view path, std::optional<std::string_view>& found) {
    if (path.empty()) {
        std::string_view json;
        if (const Trouble trouble = scan.raw(json)) return trouble;
        found = json;
        return enough;
    }
    std::string name;
    if (!take_name(path, name)) return "it is no path";
    // The first of its name is the one, and whatever lies in it is the answer.
    const auto into = [&] {
        const Trouble trouble = find(scan, path, found);
        return trouble ? trouble : enough;
    };
    if (scan.next() == JsonType::object)
        return scan.members([&](std::string_view each) { return each == name ? into() : fine; });
    if (scan.next() != JsonType::array) return fine;
    std::size_t index = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
    if (read.ec != std::errc{} || read.ptr != name.data() + name.size()) return fine;
    return scan.elements([&] { return index-- == 0 ? into() : fine; });
}

Fail refuse(std::string_view code, std::string message, Cause cause = Cause::invalid) {
    return fail({.cause = cause,
                 .origin = Origin::application,
                 .code = std::string{code},
                 .message = std::move(message)});
}

template <class T>
std::optional<T> read_as(std::optional<std::string_view> json, Trouble (JsonScan::*read)(T&)) {
    if (!json) return {};
    T value{};
    JsonScan scan{*json};
    if ((scan.*read)(value)) return {};
    return value;
}

}  // namespace

std::optional<std::string_view> read_text(std::string_view json, std::string_view path) {
    std::optional<std::string_view> found;
    JsonScan scan{json};
    return find(scan, path, found) == enough ? found : std::nullopt;
}

std::optional<std::string> Document::string_at(std::string_view path) const {
    return read_as(text_at(path), &JsonScan::string);
}

std::optional<std::int64_t> Document::integer_at(std::string_view path) const {
    return read_as(text_at(path), &JsonScan::integer);
}

std::optional<double> Document::real_at(std::string_view path) const {
    return read_as(text_at(path), &JsonScan::real);
}

std::optional<bool> Document::truth_at(std::string_view path) const {
    return read_as(text_at(path), &JsonScan::truth);
}

bool Document::is_null_at(std::string_view path) const { return text_at(path) == "null"; }

Result<void> valid_item(std::string_view json) {
    if (json.size() > largest_item)
        return refuse("item-too-large",
                      "the item has " + std::to_string(json.size()) +
                          " bytes, and may have 2097152",
                      Cause::too_large);
    if (!is_utf8(json)) return refuse("invalid-item", "the item is not UTF-8");
    JsonScan scan{json};
    std::optional<std::string> id;
    Trouble trouble = scan.members([&](std::string_view name) -> Trouble {
        if (name != "id") return fine;
        if (id) return "it has two ids";
        if (scan.next() != JsonType::string) return "its id is not a string";
        return scan.string(id.emplace());
    });
    if (!trouble) trouble = scan.end();
    if (trouble)
        return refuse("invalid-item",
                      std::string{"the item is no JSON object that can be sent: "} + trouble);
    return id ? check_id(*id) : Result<void>{};
}

Result<PartitionKey> partition_key_of(std::string_view json, std::span<const std::string> paths) {
    PartitionKey key;
    for (const std::string& path : paths) {
        KeyPart part;
        if (const auto found = read_text(json, path)) {
            JsonScan scan{*found};
            if (scan.next() == JsonType::object || read_key_part(scan, part))
                return refuse(
                    "invalid-partition-key",
                    "what stands at a partition key path is not a string, a boolean, null or "
                    "a number that fits");
        }
        if (!key.add(std::move(part)))
            return refuse("invalid-partition-key", "a partition key has at most three paths");
    }
    return key;
}

std::string with_property(std::string_view json, std::string_view name, std::string_view value) {
    const auto close = json.find_last_not_of(" \t\r\n");
    if (close == std::string_view::npos || json[close] != '}') return std::string{json};
    const auto before = json.substr(0, close).find_last_not_of(" \t\r\n");
    if (before == std::string_view::npos) return std::string{json};
    std::string made;
    made.reserve(json.size() + name.size() + value.size() + 8);
    made.append(json.substr(0, before + 1));
    if (json[before] != '{') made += ',';
    append_json_text(made, name);
    made.append(":").append(value).append(json.substr(before + 1));
    return made;
}

Result<std::vector<std::string_view>> documents_of(std::string_view page, std::string_view list) {
    std::vector<std::string_view> documents;
    bool found = false;
    JsonScan scan{page};
    Trouble trouble = is_utf8(page) ? fine : "it is not UTF-8";
    if (!trouble)
        trouble = scan.members([&](std::string_view name) -> Trouble {
            if (name != list) return fine;
            if (std::exchange(found, true)) return "it has two lists of documents";
            return scan.elements([&] { return scan.raw(documents.emplace_back()); });
        });
    if (!trouble) trouble = found ? scan.end() : "it has no list of documents";
    if (trouble) return fail(unreadable("the page", trouble));
    return documents;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
