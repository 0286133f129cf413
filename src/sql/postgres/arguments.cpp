// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <charconv>
#include <cstring>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// Object identifiers of types, fixed since ever (pg_type.dat).
constexpr Oid type_bool = 16;
constexpr Oid type_bytea = 17;
constexpr Oid type_int8 = 20;
constexpr Oid type_int2 = 21;
constexpr Oid type_int4 = 23;
constexpr Oid type_oid = 26;
constexpr Oid type_float4 = 700;
constexpr Oid type_float8 = 701;

constexpr std::size_t longest_number = 32;

std::size_t room_for(const Parameter& parameter) noexcept {
    switch (parameter.kind()) {
        case Kind::text: return parameter.view().size() + 1;
        case Kind::boolean: return 2;
        case Kind::integer:
        case Kind::real: return longest_number;
        case Kind::null:
        case Kind::bytes: return 0;
    }
    return 0;
}

// Writes it with its NUL and says where the next one goes.
char* write(const Parameter& parameter, char* into) noexcept {
    char* end = into;
    switch (parameter.kind()) {
        case Kind::text:
            // An empty view may point nowhere.
            if (!parameter.view().empty())
                std::memcpy(into, parameter.view().data(), parameter.view().size());
            end = into + parameter.view().size();
            break;
        case Kind::boolean: *end++ = parameter.boolean() ? 't' : 'f'; break;
        case Kind::integer:
            end = std::to_chars(into, into + longest_number - 1, parameter.integer()).ptr;
            break;
        case Kind::real:
            end = std::to_chars(into, into + longest_number - 1, parameter.real()).ptr;
            break;
        case Kind::null:
        case Kind::bytes: break;
    }
    *end = '\0';
    return end + 1;
}

int half_byte(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

template <class Number>
bool read_number(std::string_view text, Number& number) noexcept {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

}  // namespace

void Arguments::set(std::span<const Parameter> parameters) {
    const std::size_t count = parameters.size();
    types_.assign(count, 0);
    values_.assign(count, nullptr);
    lengths_.assign(count, 0);
    formats_.assign(count, 0);
    std::size_t room = 0;
    for (const Parameter& parameter : parameters) room += room_for(parameter);
    if (texts_.size() < room) texts_.resize(room);
    char* next = texts_.data();
    for (std::size_t i = 0; i < count; ++i) {
        const Parameter& parameter = parameters[i];
        if (parameter.kind() == Kind::null) continue;
        if (parameter.kind() == Kind::bytes) {
            // A null pointer would be NULL.
            values_[i] = parameter.view().empty() ? "" : parameter.view().data();
            lengths_[i] = static_cast<int>(parameter.view().size());
            formats_[i] = 1;
            types_[i] = type_bytea;
            continue;
        }
        values_[i] = next;
        next = write(parameter, next);
    }
}

bool Arguments::fit(std::span<const Oid> prepared) const noexcept {
    if (prepared.size() != types_.size()) return false;
    for (std::size_t i = 0; i < types_.size(); ++i)
        if (values_[i] && prepared[i] != types_[i]) return false;
    return true;
}

std::span<const std::string_view> RowReader::columns(const PGresult* result) {
    const auto count = static_cast<std::size_t>(PQnfields(result));
    names_.resize(count);
    types_.resize(count);
    cells_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        names_[i] = PQfname(result, static_cast<int>(i));
        types_[i] = PQftype(result, static_cast<int>(i));
    }
    return names_;
}

std::span<const Cell> RowReader::read(const PGresult* result, int row) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < types_.size(); ++i)
        if (types_[i] == type_bytea)
            bytes += static_cast<std::size_t>(PQgetlength(result, row, static_cast<int>(i)));
    bytes_.clear();
    bytes_.reserve(bytes);  // what the cells point to must not move
    for (std::size_t i = 0; i < types_.size(); ++i)
        cells_[i] = cell(result, row, static_cast<int>(i));
    return cells_;
}

Cell RowReader::cell(const PGresult* result, int row, int column) {
    if (PQgetisnull(result, row, column) != 0) return {};
    const std::string_view text{PQgetvalue(result, row, column),
                                static_cast<std::size_t>(PQgetlength(result, row, column))};
    std::int64_t integer = 0;
    double real = 0;
    switch (types_[static_cast<std::size_t>(column)]) {
        case type_bool: return Cell::boolean(text == "t");
        case type_int2:
        case type_int4:
        case type_int8:
        case type_oid: return read_number(text, integer) ? Cell::of(integer) : Cell::text(text);
        case type_float4:
        case type_float8: return read_number(text, real) ? Cell::of(real) : Cell::text(text);
        case type_bytea: return Cell::bytes(unescaped(text.data(), text.size()));
        default: return Cell::text(text);
    }
}

// "\x" and hexadecimal digits; servers set to the older form (bytea_output) use backslashes. Neither
// grows longer.
std::string_view RowReader::unescaped(const char* text, std::size_t length) {
    const std::size_t start = bytes_.size();
    if (length >= 2 && text[0] == '\\' && text[1] == 'x') {
        for (std::size_t i = 2; i + 1 < length; i += 2)
            bytes_ += static_cast<char>(half_byte(text[i]) * 16 + half_byte(text[i + 1]));
    } else {
        for (std::size_t i = 0; i < length; ++i) {
            if (text[i] != '\\') {
                bytes_ += text[i];
            } else if (i + 1 < length && text[i + 1] == '\\') {
                bytes_ += '\\';
                ++i;
            } else if (i + 3 < length) {
                bytes_ += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                            (text[i + 3] - '0'));
                i += 3;
            }
        }
    }
    return std::string_view{bytes_}.substr(start);
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
