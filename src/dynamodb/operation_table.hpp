// SPDX-License-Identifier: Apache-2.0
//
// What kind of thing is an operation, known by its name alone? Whether it touches items or tables, and
// whether it may be repeated when nobody knows what became of it.
//
//     if (plane_of("CreateTable") == Plane::control) …
//     const Safety safety = safety_of("TransactWriteItems", Token::given);
//
// docs/reference/dynamodb-operations.md shows the same rows; a test compares.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "perdure/dynamodb/classify.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

enum class Token : std::uint8_t { missing, given };

struct OperationRow {
    std::string_view name{};
    Plane plane = Plane::control;
    Safety safety = Safety::once;
    std::string_view token{};  // the member it hangs on: without it the operation is `once`
    std::string_view why{};
};

// All operations of API version 2012-08-10, by name.
[[nodiscard]] std::span<const OperationRow> operations() noexcept;
// Null: not known.
[[nodiscard]] const OperationRow* find_operation(std::string_view name) noexcept;

// A name that is not known is taken as control, and as a read if it begins as all reads of its kind do.
// plane_of() is declared beside the errors, which ask for it: classify.hpp.
[[nodiscard]] Safety safety_of(std::string_view operation, Token token) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
