// SPDX-License-Identifier: Apache-2.0
//
// How far has a region come, and how far had a client's session? Tokens, read and compared.
//
//     if (const auto asked = SessionMark::read("1#100#1=100"); !asked || !here.covers(*asked)) …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/chaos/cosmos/options.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// A plain value: one partition's progress, without the partition's id.
struct SessionMark {
    std::int64_t version = -1;
    std::uint64_t global = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> regions{};  // id and LSN

    static std::optional<SessionMark> read(std::string_view token);
    [[nodiscard]] std::string write(SessionForm form) const;
    // Whether whoever stands here has seen everything the other has.
    [[nodiscard]] bool covers(const SessionMark& other) const noexcept;
};

// One partition's part of "0:…,1:…". A token without an id is everybody's.
struct SessionPart {
    std::string_view range{};
    std::string_view token{};
};
std::vector<SessionPart> parts_of(std::string_view header);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
