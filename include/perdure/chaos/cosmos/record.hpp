// SPDX-License-Identifier: Apache-2.0
//
// What did the fake gateway see, and what did it write? For transcripts, gaps and proofs.
//
//     for (const auto& one : gateway.records()) gaps.push_back(one.at);
//     EXPECT_EQ(gateway.writes({"db", "c", R"(["A"])", "7"}).size(), 1);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// A request, when it has been dealt with. A plain value.
struct GatewayRecord {
    TimePoint at{};        // whole request read
    std::string region{};  // "global", if that endpoint was asked
    std::string method{};
    std::string path{};
    int status = 0;  // 0: it was not answered
    int substatus = 0;
    std::string session_token{};  // as the client sent it
    std::string activity_id{};
    std::string partition_key{};  // the header
    std::string range{};          // id of the partition key range, if the request went to one
    std::string fault{};          // name of the rule that struck
    std::vector<std::pair<std::string, std::string>> headers{};  // GatewayOptions::record_headers
};

enum class WriteKind : std::uint8_t { created, replaced, patched, deleted };
std::string_view to_string(WriteKind kind) noexcept;

// How often an item was written: a drill compares it with what its clients reported.
struct WriteCount {
    std::string container{};  // "dbs/d/colls/c"
    std::string partition_key{};
    std::string id{};
    std::uint64_t created = 0, replaced = 0, patched = 0, deleted = 0;
};

// Which item? The key as its header has it: ["A"].
struct ItemName {
    std::string database{};
    std::string container{};
    std::string partition_key{};
    std::string id{};
    friend bool operator==(const ItemName&, const ItemName&) noexcept = default;
};

// A change that was applied, in the order of time. A plain value.
struct AppliedWrite {
    TimePoint at{};
    std::string container{};  // "dbs/d/colls/c"
    std::string partition_key{};
    std::string id{};
    WriteKind kind = WriteKind::created;
    std::string region{};
    std::uint64_t lsn = 0;
    std::string etag{};
    std::string activity_id{};
    std::string marker{};  // the value of GatewayOptions::marker as JSON; empty: not there
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
