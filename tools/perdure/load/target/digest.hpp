// SPDX-License-Identifier: Apache-2.0
//
// Are two heaps of rows the same, whatever their order? Sums of one number per row, in which equal
// values count the same however a target gives them back.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "load/source/typed_text.hpp"
#include "load/source/value.hpp"

namespace tool::load {

namespace detail {

// The finaliser of a multiplicative hash: every bit of the sum depends on every bit put in.
constexpr std::uint64_t stirred(std::uint64_t x) noexcept {
    x ^= x >> 32u;
    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29u;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32u);
}

constexpr std::uint64_t text_number(std::string_view text) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325u;  // FNV-1a's
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return sum;
}

}  // namespace detail

// A whole number in a column of reals, a boolean given back as 0 or 1, -0 and 0 are the same. So are
// texts of one date, timestamp, UUID or decimal.
inline std::uint64_t value_digest(Type type, const Value& value) {
    if (value.kind == ValueKind::null || type == Type::other) return 0;
    if (has_one_form(type) && value.kind == ValueKind::text) {
        std::string buffer;
        return value_digest(Type::text, Value{one_form(type, value.text, buffer)});
    }
    // Whatever the column: a target that has no types may give text back for a number.
    if (value.kind == ValueKind::text)
        return detail::stirred(detail::text_number(value.text) + value.text.size());
    switch (type) {
        case Type::boolean: return value.integer != 0 ? 3 : 2;
        case Type::integer: return detail::stirred(static_cast<std::uint64_t>(value.integer) + 4);
        case Type::real: {
            const double real =
                value.kind == ValueKind::integer ? static_cast<double>(value.integer) : value.real;
            return detail::stirred(std::bit_cast<std::uint64_t>(real == 0 ? 0.0 : real) + 5);
        }
        default: return detail::stirred(detail::text_number(value.text) + value.text.size());
    }
}

inline std::uint64_t row_digest(const Schema& schema, std::span<const Value> row) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
        sum = detail::stirred(sum + value_digest(schema.columns[i].type, row[i]) + i);
    return sum;
}

}  // namespace tool::load
