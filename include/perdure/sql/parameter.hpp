// SPDX-License-Identifier: Apache-2.0
//
// What is handed to a statement beside its text? Typed values, never a part of the text.
//
//     tx.execute("update account set cents = cents + ? where id = ?", cents, id);
//     db.query("select * from t where blob = ? and note is not distinct from ?", Bytes{raw}, note);
//
// A view: what it was made from outlives the call. Text is UTF-8 without NUL; Bytes are anything.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "perdure/result.hpp"
#include "perdure/sql/token.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Marks bytes that are no text.
struct Bytes {
    std::string_view view{};
};

enum class Kind : std::uint8_t { null, boolean, integer, real, text, bytes };

class Parameter;
namespace detail {
template <class T>
concept bindable = std::is_convertible_v<const T&, Parameter>;
}  // namespace detail

// A plain value of three words.
class Parameter {
public:
    constexpr Parameter(std::nullptr_t) noexcept {}
    constexpr Parameter(std::nullopt_t) noexcept {}
    constexpr Parameter(std::same_as<bool> auto value) noexcept
        : kind_{Kind::boolean}, integer_{value ? 1 : 0} {}
    template <std::integral I>
        requires(!std::same_as<I, bool> && !std::same_as<I, char>)
    constexpr Parameter(I value) noexcept
        : kind_{Kind::integer}, integer_{static_cast<std::int64_t>(value)} {
        if constexpr (std::unsigned_integral<I>)
            too_large_ =
                value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    template <std::floating_point F>
    constexpr Parameter(F value) noexcept : kind_{Kind::real}, real_{static_cast<double>(value)} {}
    constexpr Parameter(std::string_view text) noexcept
        : kind_{Kind::text}, integer_{0}, view_{text} {}
    Parameter(const std::string& text) noexcept : Parameter{std::string_view{text}} {}
    // A null pointer is NULL.
    constexpr Parameter(const char* text) noexcept : Parameter{nullptr} {
        if (text) *this = Parameter{std::string_view{text}};
    }
    constexpr Parameter(Bytes bytes) noexcept
        : kind_{Kind::bytes}, integer_{0}, view_{bytes.view} {}
    Parameter(std::span<const std::byte> bytes) noexcept
        : Parameter{Bytes{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}}} {}
    Parameter(const std::vector<std::byte>& bytes) noexcept
        : Parameter{std::span<const std::byte>{bytes}} {}
    Parameter(const Token& token) noexcept : Parameter{Bytes{token.bytes()}} {}
    template <class T>
        requires std::constructible_from<Parameter, const T&>
    constexpr Parameter(const std::optional<T>& value) noexcept : Parameter{nullptr} {
        if (value) *this = Parameter{*value};
    }
    // The rest does not compile, and says why.
    template <class T>
        requires(!detail::bindable<T>)
    explicit Parameter(const T&) {
        static_assert(detail::bindable<T>,
                      "no parameter can be made from this type: pass bool, an integer, a floating "
                      "point number, text (dates too), sql::Bytes, std::vector<std::byte>, "
                      "sql::Token, nullptr, or std::optional of one of these");
    }

    [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }
    [[nodiscard]] constexpr bool boolean() const noexcept { return integer_ != 0; }
    [[nodiscard]] constexpr std::int64_t integer() const noexcept { return integer_; }
    [[nodiscard]] constexpr double real() const noexcept { return real_; }
    // Of text and bytes.
    [[nodiscard]] constexpr std::string_view view() const noexcept { return view_; }
    [[nodiscard]] constexpr bool too_large() const noexcept { return too_large_; }

private:
    Kind kind_ = Kind::null;
    bool too_large_ = false;  // an unsigned number no database column of ours can hold
    union {
        std::int64_t integer_ = 0;
        double real_;
    };
    std::string_view view_{};
};

// Refuses what would be cut off, misread or refused later and less clearly: NUL or broken UTF-8 in
// the statement or a text, numbers beyond 64 bits. Says which parameter, never its value.
[[nodiscard]] Result<void> check(std::string_view statement, std::span<const Parameter> parameters);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
