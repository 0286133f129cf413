// SPDX-License-Identifier: Apache-2.0
//
// Which logical partition does an item live in? The values at the container's partition key paths.
//
//     PartitionKey{"A"}                      one path
//     PartitionKey{"tenant", 42}             a hierarchical key, or the beginning of one
//     PartitionKey::none()                   of items that have no such property
//     PartitionKey{"Zürich"}.header_text()   ["Z\u00fcrich"]
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

enum class PartKind : std::uint8_t { undefined, null, boolean, number, string };

// One value of a key. Numbers are doubles, as they are to the service. A plain value.
class KeyPart {
public:
    KeyPart() noexcept = default;
    KeyPart(std::nullptr_t) noexcept : kind_{PartKind::null} {}
    KeyPart(std::string text) noexcept : kind_{PartKind::string}, text_{std::move(text)} {}
    KeyPart(std::string_view text) : KeyPart{std::string{text}} {}
    KeyPart(const char* text) : KeyPart{std::string{text}} {}
    template <class T>
        requires std::is_arithmetic_v<T>
    KeyPart(T value) noexcept
        : kind_{std::same_as<T, bool> ? PartKind::boolean : PartKind::number},
          number_{static_cast<double>(value) + 0.0} {}  // which turns -0 into 0

    [[nodiscard]] PartKind kind() const noexcept { return kind_; }
    [[nodiscard]] double number() const noexcept { return number_; }
    [[nodiscard]] bool truth() const noexcept { return number_ != 0; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend bool operator==(const KeyPart&, const KeyPart&) = default;

private:
    PartKind kind_ = PartKind::undefined;
    double number_ = 0;
    std::string text_{};
};

// A plain value, made for every call: short strings cost no allocation.
class PartitionKey {
public:
    static constexpr std::size_t most_parts = 3;

    PartitionKey() noexcept = default;
    template <class First, class... Others>
        requires(sizeof...(Others) < most_parts && std::constructible_from<KeyPart, First> &&
                 (std::constructible_from<KeyPart, Others> && ...))
    PartitionKey(First&& first, Others&&... others)
        : parts_{KeyPart(std::forward<First>(first)), KeyPart(std::forward<Others>(others))...},
          count_{1 + sizeof...(Others)} {}
    static PartitionKey none() { return PartitionKey{KeyPart{}}; }

    // What header_text gives, or any JSON array of such values. At most three.
    static Result<PartitionKey> parse(std::string_view json);
    // False: there are three already.
    [[nodiscard]] bool add(KeyPart part);

    [[nodiscard]] std::span<const KeyPart> parts() const noexcept {
        return {parts_.data(), count_};
    }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

    // The value of x-ms-documentdb-partitionkey: JSON in plain ASCII, numbers as short as they round
    // trip. What is not UTF-8 becomes U+FFFD; `check` refuses it.
    void append_to(std::string& out) const;
    [[nodiscard]] std::string header_text() const;

    friend bool operator==(const PartitionKey&, const PartitionKey&) = default;

private:
    std::array<KeyPart, most_parts> parts_{};
    std::size_t count_ = 0;
};

// Whether the service could take it: not empty, at most 2048 bytes, UTF-8, finite numbers. The failure
// is `invalid`, of the application, "invalid-partition-key", and does not show the key.
Result<void> check(const PartitionKey& key);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
