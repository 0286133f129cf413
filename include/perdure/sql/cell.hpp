// SPDX-License-Identifier: Apache-2.0
//
// What stands in one column of one row? A value as the database sent it, and how to read it as a C++
// type.
//
//     const Result<std::int64_t> cents = sql::read<std::int64_t>(cell);
//     const Result<std::optional<std::string>> note = sql::read<std::optional<std::string>>(cell);
//
// Numbers that come as text (numeric, decimal) are read as numbers when asked for one; nothing is
// ever rounded or cut silently. What has no kind of its own (dates, uuids, json) is text.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/result.hpp"
#include "perdure/sql/parameter.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// A view of a value; text and bytes lie elsewhere.
struct Cell {
    Kind kind = Kind::null;
    std::int64_t integer = 0;  // also 0 or 1 for a boolean
    double real = 0;
    std::string_view view{};

    static Cell of(std::int64_t value) noexcept {
        return {.kind = Kind::integer, .integer = value};
    }
    static Cell of(double value) noexcept { return {.kind = Kind::real, .real = value}; }
    static Cell boolean(std::same_as<bool> auto value) noexcept {
        return {.kind = Kind::boolean, .integer = value ? 1 : 0};
    }
    static Cell text(std::string_view value) noexcept {
        return {.kind = Kind::text, .view = value};
    }
    static Cell bytes(std::string_view value) noexcept {
        return {.kind = Kind::bytes, .view = value};
    }
};

// Each fails with `invalid` and says what stands there instead; never the value.
[[nodiscard]] Result<std::int64_t> read_integer(const Cell& cell);
[[nodiscard]] Result<double> read_real(const Cell& cell);
[[nodiscard]] Result<bool> read_boolean(const Cell& cell);
[[nodiscard]] Result<std::string> read_text(const Cell& cell);
[[nodiscard]] Result<std::vector<std::byte>> read_bytes(const Cell& cell);  // text is refused
[[nodiscard]] Result<Token> read_token(const Cell& cell);  // 16 bytes, or a UUID as text
[[nodiscard]] Failure out_of_range(std::string_view wanted);

namespace detail {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
}  // namespace detail

// bool, integers, floating point, std::string (text or bytes), std::vector<std::byte>, Token, and
// std::optional of these.
template <class T>
[[nodiscard]] Result<T> read(const Cell& cell) {
    if constexpr (detail::is_optional<T>) {
        if (cell.kind == Kind::null) return T{};
        auto value = read<typename T::value_type>(cell);
        if (!value) return value.take_failure();
        return T{*std::move(value)};
    } else if constexpr (std::same_as<T, bool>) {
        return read_boolean(cell);
    } else if constexpr (std::integral<T>) {
        auto value = read_integer(cell);
        if (!value) return value.take_failure();
        if (!std::in_range<T>(*value)) return fail(out_of_range("integer"));
        return static_cast<T>(*value);
    } else if constexpr (std::floating_point<T>) {
        auto value = read_real(cell);
        if (!value) return value.take_failure();
        return static_cast<T>(*value);
    } else if constexpr (std::same_as<T, Token>) {
        return read_token(cell);
    } else if constexpr (std::same_as<T, std::vector<std::byte>>) {
        return read_bytes(cell);
    } else {
        static_assert(std::same_as<T, std::string>,
                      "no column can be read as this type: take bool, an integer, double, "
                      "std::string (also for bytes, dates and numeric), "
                      "std::vector<std::byte>, sql::Token, or std::optional of one of these");
        if constexpr (std::same_as<T, std::string>) return read_text(cell);
    }
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
