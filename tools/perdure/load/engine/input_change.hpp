// SPDX-License-Identifier: Apache-2.0
//
// What do the ranges that a ledger has of an input say about it, and how is a changed one refused?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/engine/feed.hpp"
#include "load/source/prefix_check.hpp"
#include "load/target/target.hpp"
#include "perdure/failure.hpp"

namespace tool::load {

// How many bytes of its records, behind the header, tell an input from others.
inline constexpr std::uint64_t known_bytes = 4096;

// When the last of them was written; 0: not known.
[[nodiscard]] std::uint64_t latest(const std::vector<Range>& done);

// " on 2026-11-18 20:40 UTC", or nothing for 0.
[[nodiscard]] std::string on_date(std::uint64_t seconds);

[[nodiscard]] perdure::Failure input_changed(std::string code, std::string message);

[[nodiscard]] constexpr bool is_unchanged(PrefixCheck::Outcome outcome) noexcept {
    return outcome == PrefixCheck::Outcome::same || outcome == PrefixCheck::Outcome::grown;
}

[[nodiscard]] std::string_view in_words(PrefixCheck::Outcome outcome) noexcept;

// How an input has changed since these ranges of it were loaded; empty: it has not, or there is no telling
// before it is loaded. Reads it up to their end.
[[nodiscard]] perdure::Result<std::string> change_of(const Input& input,
                                                     const std::vector<Range>& done);

[[nodiscard]] bool has_digest(const std::vector<Range>& done);

// Where the ranges that touch, from the first record on, end. `first` where they leave a gap there.
[[nodiscard]] std::uint64_t end_without_gap(const std::vector<Range>& done, std::uint64_t first);

// How many bytes of the file have to be read for that: it may be packed, and then lies there with fewer.
[[nodiscard]] std::uint64_t bytes_before(const std::string& path, std::uint64_t end);

[[nodiscard]] std::vector<Checkpoint> checkpoints_of(const std::vector<Range>& done);

}  // namespace tool::load
