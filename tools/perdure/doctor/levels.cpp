// SPDX-License-Identifier: Apache-2.0
#include "doctor/levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tool::doctor {

namespace {

constexpr int finer = 4;  // 2^4 buckets per doubling

std::uint16_t bucket_of(std::uint64_t value) {
    if (value < (1U << (finer + 1))) return static_cast<std::uint16_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - (finer + 1);
    return static_cast<std::uint16_t>((static_cast<std::uint64_t>(shift) << finer) +
                                      (value >> shift));
}

std::uint64_t middle_of(std::uint16_t bucket) {
    if (bucket < (1U << (finer + 1))) return bucket;
    const int shift = (bucket >> finer) - 1;
    const std::uint64_t low = (std::uint64_t{bucket} - (static_cast<std::uint64_t>(shift) << finer))
                              << shift;
    return low + (std::uint64_t{1} << shift) / 2;
}

}  // namespace

void Levels::add_to(std::uint16_t bucket, std::uint64_t times) {
    const auto place =
        std::ranges::lower_bound(counts_, bucket, {}, &decltype(counts_)::value_type::first);
    if (place != counts_.end() && place->first == bucket) place->second += times;
    else counts_.insert(place, {bucket, times});
    count_ += times;
}

void Levels::add(std::uint64_t value, std::uint64_t times) { add_to(bucket_of(value), times); }

void Levels::merge(const Levels& other) {
    for (const auto& [bucket, times] : other.counts_) add_to(bucket, times);
}

std::uint64_t Levels::quantile(double q) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (const auto& [bucket, times] : counts_)
        if ((seen += times) >= std::max<std::uint64_t>(wanted, 1)) return middle_of(bucket);
    return 0;
}

std::uint64_t Levels::above(std::uint64_t value) const {
    const std::uint16_t limit = bucket_of(value);
    std::uint64_t sum = 0;
    for (const auto& [bucket, times] : counts_)
        if (bucket > limit) sum += times;
    return sum;
}

}  // namespace tool::doctor
