// SPDX-License-Identifier: Apache-2.0
//
// The digest of an input's content: XXH3 over its unpacked bytes from the first on, 106 bits of it. Two
// inputs that differ by accident do not have the same digest. It is no defence against somebody who
// makes two inputs that do.
//
//     ContentHash hash;
//     hash.add(bytes);
//     if (hash.digest() != range.digest()) …the input has changed…
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace tool::load {

// Two numbers below 2^53: every ledger keeps those exactly, also one whose numbers are doubles.
struct ContentDigest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    // Both 0: not known. Ledgers of versions that kept no digest have such ranges.
    [[nodiscard]] bool known() const noexcept { return high != 0 || low != 0; }
    friend bool operator==(const ContentDigest&, const ContentDigest&) noexcept = default;
};

// A copy goes on from the same bytes. Used by one thread at a time.
class ContentHash {
public:
    ContentHash();
    ContentHash(const ContentHash& other);
    ContentHash& operator=(const ContentHash& other);
    ContentHash(ContentHash&&) noexcept;
    ContentHash& operator=(ContentHash&&) noexcept;
    ~ContentHash();

    void add(std::string_view bytes) noexcept;
    // Of all bytes added so far; more can be added afterwards.
    [[nodiscard]] ContentDigest digest() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tool::load
