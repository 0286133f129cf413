// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "json_scan.hpp"
#include "perdure/cosmos/wire/partition_ranges.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_id = 64;
constexpr std::size_t longest_bound = 1024;

// Strings from the service, numbers from others.
Trouble read_id(JsonScan& scan, std::string& id) {
    if (scan.next() == JsonType::number) {
        std::int64_t number = 0;
        if (const Trouble trouble = scan.integer(number)) return trouble;
        id = std::to_string(number);
        return fine;
    }
    if (const Trouble trouble = scan.string(id)) return trouble;
    const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != ':' && c != ','; };
    const bool good = !id.empty() && id.size() <= longest_id && std::ranges::all_of(id, plain);
    return good ? fine : "the id of a range is none";
}

Trouble read_bound(JsonScan& scan, std::string& bound) {
    if (const Trouble trouble = scan.string(bound)) return trouble;
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
    const bool good = bound.size() <= longest_bound && std::ranges::all_of(bound, is_digit);
    return good ? fine : "the bound of a range is none";
}

Trouble read_parents(JsonScan& scan, std::vector<std::string>& parents) {
    if (scan.next() == JsonType::null) return fine;
    return scan.elements([&]() -> Trouble {
        if (parents.size() == most_range_parents) return "a range has too many parents";
        return read_id(scan, parents.emplace_back());
    });
}

Trouble read_range(JsonScan& scan, std::vector<PartitionRange>& to) {
    if (to.size() == most_ranges) return "it has too many ranges";
    PartitionRange range;
    const Trouble trouble = scan.members([&](std::string_view name) {
        if (name == "id") return read_id(scan, range.id);
        if (name == "minInclusive") return read_bound(scan, range.min);
        if (name == "maxExclusive") return read_bound(scan, range.max);
        if (name == "parents") return read_parents(scan, range.parents);
        return fine;
    });
    if (trouble) return trouble;
    if (range.id.empty()) return "a range has no id";
    if (range.min >= range.max) return "a range ends before it begins";
    to.push_back(std::move(range));
    return fine;
}

Trouble read_all(std::string_view json, std::vector<PartitionRange>& ranges) {
    JsonScan scan{json};
    bool found = false;
    const Trouble trouble = scan.members([&](std::string_view name) -> Trouble {
        if (name != "PartitionKeyRanges") return fine;
        if (std::exchange(found, true)) return "it lists its ranges twice";
        return scan.elements([&] { return read_range(scan, ranges); });
    });
    if (trouble) return trouble;
    return found ? scan.end() : "it lists no ranges";
}

}  // namespace

Result<std::vector<PartitionRange>> parse_ranges(std::string_view json) {
    std::vector<PartitionRange> ranges;
    if (const Trouble trouble = read_all(json, ranges))
        return fail(unreadable("the list of partition key ranges", trouble));
    return ranges;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
