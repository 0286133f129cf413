// SPDX-License-Identifier: Apache-2.0
//
// How can one id be recognised again in a record that must not hold it? By a keyed hash of it.
//
//     const std::uint64_t same = pseudonym("customer-17");
//
// The key everybody has at first is published in the source, so that all instances agree; who knows it
// can try ids until one fits. With a secret of your own nobody else can. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {

std::uint64_t pseudonym(std::string_view name) noexcept;

// The same secret in all instances whose records are read together. Before the first call.
void set_pseudonym_secret(std::string_view secret) noexcept;

}  // namespace v0
}  // namespace perdure
