// SPDX-License-Identifier: Apache-2.0
//
// How are bytes told from text? By their type.
//
//     Value photo{Binary{bytes}};       // from std::string, views, or a span of bytes
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value; shared by threads only while nobody changes it.
class Binary {
public:
    Binary() noexcept = default;
    explicit Binary(std::string bytes) noexcept : bytes_{std::move(bytes)} {}
    explicit Binary(std::string_view bytes) : bytes_{bytes} {}
    explicit Binary(const char* bytes) : bytes_{bytes} {}
    explicit Binary(std::span<const std::byte> bytes)
        : bytes_{reinterpret_cast<const char*>(bytes.data()), bytes.size()} {}
    explicit Binary(std::span<const std::uint8_t> bytes)
        : bytes_{reinterpret_cast<const char*>(bytes.data()), bytes.size()} {}

    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

    friend auto operator<=>(const Binary&, const Binary&) noexcept = default;

private:
    std::string bytes_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
