// SPDX-License-Identifier: Apache-2.0
//
// How are thousands of small distributions kept at once, one for each second and instance? Sparsely:
// only the buckets that were met take room. 16 buckets per doubling, so an answer is within 1/32.
//
//     Levels took;
//     took.add(1'200'000, weight);
//     took.quantile(0.99), took.above(5'000'000)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tool::doctor {

// A value; one owner.
class Levels {
public:
    void add(std::uint64_t value, std::uint64_t times = 1);
    void merge(const Levels& other);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    // The middle of the bucket with the q-th share; 0 if there is nothing.
    [[nodiscard]] std::uint64_t quantile(double q) const;
    // How many lie in buckets above that of `value`.
    [[nodiscard]] std::uint64_t above(std::uint64_t value) const;

private:
    void add_to(std::uint16_t bucket, std::uint64_t times);
    std::vector<std::pair<std::uint16_t, std::uint64_t>> counts_;  // by bucket
    std::uint64_t count_ = 0;
};

}  // namespace tool::doctor
