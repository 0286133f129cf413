// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/resource.hpp"

#include <charconv>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

std::string percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const char* hex = text.data() + i + 1;
        const bool escape = text[i] == '%' && text.size() - i > 2 &&
                            std::from_chars(hex, hex + 2, byte, 16).ptr == hex + 2;
        plain += escape ? static_cast<char>(byte) : text[i];
        if (escape) i += 2;
    }
    return plain;
}

std::optional<Resource> resource_of(std::string_view target) {
    // In an item's id a question mark begins no query: @azure/cosmos sends and signs it as it is.
    if (target.find("/docs/") == std::string_view::npos)
        target = target.substr(0, target.find('?'));
    std::vector<std::string> names;
    while (!target.empty()) {
        if (target.front() == '/') {
            target.remove_prefix(1);
            continue;
        }
        const std::size_t end = target.find('/');
        names.push_back(percent_decoded(target.substr(0, end)));
        target = end == std::string_view::npos ? std::string_view{} : target.substr(end);
    }
    Resource resource;
    if (names.empty()) return resource;
    if (names.size() > 6) return std::nullopt;
    // The one path that ends in what is done, and is signed as if that were a feed of the container.
    if (names.size() == 6 && names[4] == "operations" && names[5] == "partitionkeydelete")
        names = {names[0], names[1], names[2], names[3], "partitionkey"};
    const bool feed = names.size() % 2 == 1;
    resource.level = feed ? Resource::Level::feed : Resource::Level::entity;
    resource.type = names[feed ? names.size() - 1 : names.size() - 2];
    for (std::size_t i = 0; i < names.size() - (feed ? 1 : 0); ++i)
        resource.link += (i > 0 ? "/" : "") + names[i];
    if (names[0] != "dbs") {
        if (!feed) resource.id = names.back();
        return resource;
    }
    if (names.size() > 1) resource.database = names[1];
    if (names.size() > 3 && names[2] == "colls") resource.container = names[3];
    if (!feed) resource.id = names.back();
    return resource;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
