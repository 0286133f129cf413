// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/cell.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

std::string_view name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::null: return "NULL";
        case Kind::boolean: return "a boolean";
        case Kind::integer: return "an integer";
        case Kind::real: return "a real number";
        case Kind::text: return "text";
        case Kind::bytes: return "bytes";
    }
    return "something";
}

Failure cannot_read(const Cell& cell, std::string_view wanted) {
    std::string message{"the column holds "};
    message.append(name_of(cell.kind)).append(", which cannot be read as ").append(wanted);
    if (cell.kind == Kind::null) message.append("; std::optional can hold it");
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "column-type",
            .message = std::move(message)};
}

template <class Number>
bool parse_whole(std::string_view text, Number& value) noexcept {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

// The doubles that are whole and in range convert exactly.
bool whole(double value, std::int64_t& to) noexcept {
    constexpr double limit = 9223372036854775808.0;  // 2^63
    if (!(value >= -limit && value < limit) || std::trunc(value) != value) return false;
    to = static_cast<std::int64_t>(value);
    return true;
}

}  // namespace

Failure out_of_range(std::string_view wanted) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "column-range",
            .message =
                "the column's value does not fit into the " + std::string{wanted} + " asked for"};
}

Result<std::int64_t> read_integer(const Cell& cell) {
    std::int64_t value = 0;
    if (cell.kind == Kind::integer || cell.kind == Kind::boolean) return cell.integer;
    if (cell.kind == Kind::real && whole(cell.real, value)) return value;
    if (cell.kind == Kind::text && parse_whole(cell.view, value)) return value;
    return fail(cannot_read(cell, "an integer"));
}

Result<double> read_real(const Cell& cell) {
    double value = 0;
    if (cell.kind == Kind::real) return cell.real;
    if (cell.kind == Kind::integer) return static_cast<double>(cell.integer);
    if (cell.kind == Kind::text && parse_whole(cell.view, value)) return value;
    return fail(cannot_read(cell, "a real number"));
}

Result<bool> read_boolean(const Cell& cell) {
    if (cell.kind == Kind::boolean) return cell.integer != 0;
    if (cell.kind == Kind::integer && (cell.integer == 0 || cell.integer == 1))
        return cell.integer == 1;
    return fail(cannot_read(cell, "a boolean"));
}

Result<std::string> read_text(const Cell& cell) {
    switch (cell.kind) {
        case Kind::text:
        case Kind::bytes: return std::string{cell.view};
        case Kind::integer: return std::to_string(cell.integer);
        default: return fail(cannot_read(cell, "text"));
    }
}

Result<std::vector<std::byte>> read_bytes(const Cell& cell) {
    if (cell.kind != Kind::bytes) return fail(cannot_read(cell, "bytes"));
    const auto* const first = reinterpret_cast<const std::byte*>(cell.view.data());
    return std::vector<std::byte>(first, first + cell.view.size());
}

Result<Token> read_token(const Cell& cell) {
    std::array<char, 16> bytes{};
    if (cell.kind == Kind::bytes && cell.view.size() == bytes.size()) {
        std::ranges::copy(cell.view, bytes.begin());
        return Token::of(bytes);
    }
    if (cell.kind == Kind::text)
        if (const auto token = Token::parse(cell.view)) return *token;
    return fail(cannot_read(cell, "a token"));
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
