// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/container_properties.hpp"

#include <utility>

#include "json_scan.hpp"
#include "perdure/cosmos/wire/partition_key.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_path = 4096;

Trouble read_path(JsonScan& scan, std::vector<std::string>& paths) {
    if (paths.size() == PartitionKey::most_parts)
        return "its partition key has more than three paths";
    std::string path;
    if (const Trouble trouble = scan.string(path)) return trouble;
    if (!path.starts_with('/') || path.size() > longest_path)
        return "a path of its partition key is none";
    paths.push_back(std::move(path));
    return fine;
}

Trouble read_kind(JsonScan& scan, KeyKind& kind) {
    std::string text;
    if (const Trouble trouble = scan.string(text)) return trouble;
    if (text != "Hash" && text != "MultiHash") return "its partition key is of an unknown kind";
    kind = text == "Hash" ? KeyKind::hash : KeyKind::multi_hash;
    return fine;
}

Trouble read_version(JsonScan& scan, KeyVersion& version) {
    if (scan.next() == JsonType::null) return fine;
    std::int64_t number = 0;
    if (const Trouble trouble = scan.integer(number)) return trouble;
    if (number != 1 && number != 2) return "its partition key is of an unknown version";
    version = number == 1 ? KeyVersion::v1 : KeyVersion::v2;
    return fine;
}

Trouble read_key(JsonScan& scan, KeyDefinition& key) {
    key = {};
    if (scan.next() == JsonType::null) return fine;
    return scan.members([&](std::string_view name) {
        if (name == "kind") return read_kind(scan, key.kind);
        if (name == "version") return read_version(scan, key.version);
        if (name != "paths") return fine;
        return scan.elements([&] { return read_path(scan, key.paths); });
    });
}

Trouble read_container(std::string_view json, ContainerProperties& container) {
    if (!is_utf8(json)) return "it is not UTF-8";
    JsonScan scan{json};
    const Trouble trouble = scan.members([&](std::string_view name) {
        if (name == "id") return scan.string(container.id);
        if (name == "_rid") return scan.string(container.rid);
        if (name == "partitionKey") return read_key(scan, container.key);
        return fine;
    });
    if (trouble) return trouble;
    if (container.id.empty()) return "it has no id";
    return scan.end();
}

}  // namespace

Result<ContainerProperties> parse_container(std::string_view json) {
    ContainerProperties container;
    if (const Trouble trouble = read_container(json, container))
        return fail(unreadable("the container", trouble));
    return container;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
