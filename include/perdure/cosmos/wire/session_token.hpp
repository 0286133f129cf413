// SPDX-License-Identifier: Apache-2.0
//
// How far has this client seen a partition go? A session token says so, and a read that sends it back
// is never answered from an older state.
//
//     auto token = SessionToken::parse("2#105#1=104#4=99");
//     token->merge(*SessionToken::parse("2#103#1=106"));     // 2#105#1=106#4=99
//     for (const RangeToken& each : *parse_session_header("0:-1#5,1:-1#7")) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct RegionProgress {
    std::int64_t region = 0;
    std::int64_t lsn = 0;

    friend bool operator==(const RegionProgress&, const RegionProgress&) = default;
};

// A plain value.
class SessionToken {
public:
    static constexpr std::size_t most_regions = 64;

    // Both forms: "-1#5" and "2#105#1=104". Nothing for anything else: other characters, numbers beyond
    // 64 bits, negative progress, a region twice, more than 64 of them.
    static std::optional<SessionToken> parse(std::string_view text);

    explicit SessionToken(std::int64_t lsn = 0) noexcept : global_{lsn} {}

    [[nodiscard]] std::int64_t version() const noexcept { return version_; }  // -1: the older form
    [[nodiscard]] std::int64_t global() const noexcept { return global_; }
    [[nodiscard]] const std::vector<RegionProgress>& regions() const noexcept { return regions_; }

    // Of the same version the furthest of everything. The higher version decides which regions there are
    // and brings the global LSN; each of its regions keeps the larger local LSN of the two, as .NET's and
    // Java's VectorSessionToken does. A new version (a region was added) does not undo a session's progress.
    void merge(const SessionToken& other);
    // Whether it has seen anything that `other` has not: merging it into `other` would change that.
    [[nodiscard]] bool ahead_of(const SessionToken& other) const noexcept;

    void append_to(std::string& out) const;
    [[nodiscard]] std::string text() const;

    friend bool operator==(const SessionToken&, const SessionToken&) = default;

private:
    // The larger local LSN of each region of this token, which has the higher version.
    void keep_progress_of(const SessionToken& older);

    std::int64_t version_ = -1;
    std::int64_t global_ = 0;
    std::vector<RegionProgress> regions_{};  // by region
};

// The token of one partition key range.
struct RangeToken {
    std::string range{};  // the range's id
    SessionToken token{};

    friend bool operator==(const RangeToken&, const RangeToken&) = default;
};

// The value of x-ms-session-token, both ways. What cannot be read fails as a whole, with `corrupt`,
// "unreadable-session-token"; half of a token would let a stale read pass.
Result<std::vector<RangeToken>> parse_session_header(std::string_view value);
// "0:-1#5", after a comma if something stands there already.
void append_session_header(std::string& out, std::string_view range, const SessionToken& token);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
