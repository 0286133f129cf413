// SPDX-License-Identifier: Apache-2.0
//
// Which key signs on this day, in this region, for this service? Derived from the secret in four
// steps, so that a leaked one is good for a day only.
#pragma once

#include <array>
#include <string_view>

#include "dynamodb/sha256.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// "20260102T030405Z"; its first eight characters are the day.
class AmzDate {
public:
    explicit AmzDate(WallTime at) noexcept;

    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }
    [[nodiscard]] std::string_view day() const noexcept { return text().substr(0, 8); }

private:
    std::array<char, 16> text_{};
};

// k1 to k4; the last one signs.
std::array<Digest, 4> signing_steps(std::string_view secret, std::string_view day,
                                    std::string_view region, std::string_view service);
HmacKey signing_key(std::string_view secret, std::string_view day, std::string_view region,
                    std::string_view service);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
