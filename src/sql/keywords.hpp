// SPDX-License-Identifier: Apache-2.0
//
// Does this statement begin or end a transaction? Such statements would take the transaction out of
// our hands: what follows could neither be repeated nor resolved.
#pragma once

#include <string_view>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// By its first words, comments left aside.
[[nodiscard]] bool controls_transactions(std::string_view statement) noexcept;

// What Database::execute and the statements of a transaction say to it.
[[nodiscard]] Failure refused_alone(std::string_view statement);
[[nodiscard]] Failure refused_in_transact(std::string_view statement);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
