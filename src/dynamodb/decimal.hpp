// SPDX-License-Identifier: Apache-2.0
//
// What does a decimal text mean? Its sign, its digits that count and its size, without a copy.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Good as long as the text it was read from.
struct Decimal {
    bool readable = false;
    bool negative = false;
    // From the first digit that is not 0 to the last, perhaps with the point between; empty: zero.
    std::string_view digits{};
    std::size_t count = 0;  // of digits among them
    long magnitude = 0;     // of the first one: 125 stands for d.ddd · 10^125

    // Whether DynamoDB can keep it.
    [[nodiscard]] bool storable() const noexcept {
        return readable && count <= 38 && magnitude >= -130 && magnitude <= 125;
    }
    [[nodiscard]] bool zero() const noexcept { return digits.empty(); }
};

[[nodiscard]] Decimal read_decimal(std::string_view text) noexcept;

// Plain digits, for a decimal that is storable.
[[nodiscard]] std::string plain_text(const Decimal& decimal);

// Whether JSON would take the text as a number, which is stricter: no "+1", "01", ".5" or "5.".
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
