// SPDX-License-Identifier: Apache-2.0
//
// What does a method promise about repeating it? Methods are plain text, because services have
// their own; this file knows the standard's.
//
//     safety_of("DELETE")     // Safety::idempotent
#pragma once

#include <string_view>

#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// GET, HEAD, OPTIONS and TRACE are reads, PUT and DELETE idempotent (RFC 9110, 9.2); every other is
// `once`. Methods are compared with their case: "get" is another one.
Safety safety_of(std::string_view method) noexcept;

// Letters, digits and !#$%&'*+-.^_`|~, at least one: what methods and header names are made of.
bool is_token(std::string_view text) noexcept;

}  // namespace http
}  // namespace v0
}  // namespace perdure
