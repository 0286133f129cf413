// SPDX-License-Identifier: Apache-2.0
//
// Bytes are an answer to pkranges, told once or as a first part and changes. A map that comes of it has a
// range for every key and no two for one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perdure/cosmos/wire/document.hpp"
#include "perdure/cosmos/wire/partition_ranges.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

void try_map(const cosmos::RoutingMap& map) {
    must(map.overlapping("", "FF").size() == map.all().size(), "all ranges lie between the ends");
    for (const auto& range : map.all()) {
        must(&map.at(range.min) == &range, "a range holds where it begins");
        const auto shared = map.overlapping(range.min, range.max);
        must(shared.size() == 1 && &shared[0] == &range, "a range shares keys with itself only");
        must(map.find(range.id) == &range && !map.is_gone(range.id), "an id is one range's");
        for (const auto& parent : range.parents) must(map.is_gone(parent), "a parent is gone");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view json{reinterpret_cast<const char*>(data), size};
    if (const auto documents = cosmos::documents_of(json, "PartitionKeyRanges"))
        for (const std::string_view each : *documents)
            must(cosmos::read_text(each, "") == each, "a document is one value");
    const auto ranges = cosmos::parse_ranges(json);
    if (!ranges) return 0;
    if (const auto map = cosmos::RoutingMap::from(*ranges)) {
        try_map(*map);
        const auto again = map->with(*ranges);
        must(again.has_value(), "being told the same again changes nothing");
        try_map(*again);
    }
    return 0;
}
