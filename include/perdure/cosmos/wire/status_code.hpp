// SPDX-License-Identifier: Apache-2.0
//
// How is an answer of Cosmos DB named? By its status and its substatus, which say something only together.
//
//     constexpr StatusCode session_not_available{404, 1002};
//     to_string(StatusCode{403, 3})          "403/3"; without a substatus "503"
//     *parse_status_code("403/3")            StatusCode{403, 3}
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline constexpr int largest_substatus = 0xFFFF;

// A plain value of one word, (status << 16) | substatus; what does not fit counts as 0.
class StatusCode {
public:
    constexpr StatusCode() noexcept = default;
    constexpr StatusCode(int status, int substatus = 0) noexcept
        : packed_{(half(status) << 16U) | half(substatus)} {}

    static constexpr StatusCode from_packed(std::uint32_t packed) noexcept {
        return {static_cast<int>(packed >> 16U), static_cast<int>(packed & 0xFFFFU)};
    }
    [[nodiscard]] constexpr std::uint32_t packed() const noexcept { return packed_; }
    [[nodiscard]] constexpr int status() const noexcept { return static_cast<int>(packed_ >> 16U); }
    [[nodiscard]] constexpr int substatus() const noexcept {
        return static_cast<int>(packed_ & 0xFFFFU);
    }

    friend constexpr auto operator<=>(StatusCode, StatusCode) noexcept = default;

private:
    static constexpr std::uint32_t half(int number) noexcept {
        return number < 0 || number > largest_substatus ? 0 : static_cast<std::uint32_t>(number);
    }
    std::uint32_t packed_ = 0;
};

// All pure; any thread.
std::string to_string(StatusCode code);
// "403/3", "403"; nothing for what is neither, and for a status that HTTP does not have.
std::optional<StatusCode> parse_status_code(std::string_view text) noexcept;
// The status with what x-ms-substatus says; a header that is no number is no substatus.
StatusCode status_code_of(int status, const http::Headers& headers) noexcept;

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
