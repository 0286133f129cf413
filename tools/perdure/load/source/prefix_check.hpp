// SPDX-License-Identifier: Apache-2.0
//
// Is the beginning of an input what it was when it was loaded? Reads it once, up to where the load
// goes on, and compares digests.
//
//     PERDURE_TRY_VALUE(const PrefixCheck check, check_prefix(path, checkpoints, noted));
//     if (check.outcome == PrefixCheck::Outcome::changed) …
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "load/source/content_hash.hpp"
#include "perdure/result.hpp"

namespace tool::load {

// The digest that all bytes before `offset` had.
struct Checkpoint {
    std::uint64_t offset = 0;
    ContentDigest digest{};
};

struct PrefixCheck {
    enum class Outcome : std::uint8_t {
        same,     // and the input ends at the last checkpoint
        grown,    // the same, with more behind it
        changed,  // some bytes before the last checkpoint are others
        shorter,  // the input ends before the last checkpoint
    };
    Outcome outcome = Outcome::same;
    ContentHash resume{};  // of all bytes before `resume_at`
};

struct PrefixOptions {
    std::uint64_t resume_at = 0;  // at or before the last checkpoint
    std::atomic<std::uint64_t>* bytes_read =
        nullptr;  // for progress; packed bytes of a packed file
};

// Checkpoints by offset, at least one; those whose digest is not known are passed over. Opens the file
// itself. Failures as open_bytes and its stream have them.
[[nodiscard]] perdure::Result<PrefixCheck> check_prefix(const std::string& path,
                                                        std::span<const Checkpoint> checkpoints,
                                                        const PrefixOptions& options);

// The same for several lists of checkpoints: which of them does the input agree with? Reads it once, as far
// as one of them still agrees.
[[nodiscard]] perdure::Result<std::vector<PrefixCheck::Outcome>>
check_prefixes(const std::string& path, std::span<const std::vector<Checkpoint>> lists,
               std::atomic<std::uint64_t>* bytes_read);

}  // namespace tool::load
