// SPDX-License-Identifier: Apache-2.0
//
// What has become of a batch's records? Rows of typed values, ready for a target, and those that
// cannot be loaded, each with the reason.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/batch.hpp"
#include "load/source/value.hpp"

namespace tool::load {

// A record that was not loaded. `reason` is for people and quotes no value: "line 3: …" is added by
// whoever shows it.
struct Rejected {
    std::size_t record = 0;  // its number in the batch
    std::string reason{};
};

// Values refer to the batch's bytes and to `texts`; both stay where they are.
struct Rows {
    std::size_t width = 0;
    std::vector<Value> values{};         // width for each row
    std::vector<std::size_t> records{};  // for each row, the number of its record in the batch
    std::vector<Rejected> rejected{};
    std::deque<std::string> texts{};  // what had to be unescaped

    [[nodiscard]] std::size_t size() const noexcept { return records.size(); }
    [[nodiscard]] std::span<const Value> row(std::size_t index) const noexcept {
        return std::span{values}.subspan(index * width, width);
    }
};

// A record's place in the input.
struct Place {
    std::string_view source{};
    std::uint64_t offset = 0;
};

// Values that what the target keeps became; those that had to be written lie in `texts`.
struct ReadRow {
    std::vector<Value> values{};
    std::deque<std::string> texts{};
};

}  // namespace tool::load
