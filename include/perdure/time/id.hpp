// SPDX-License-Identifier: Apache-2.0
//
// How is one piece of work named so that no other ever has its name? By 122 random bits, written
// as a version 4 UUID. Made by the client before the first attempt, the id is what a service or a
// table remembers, so that a repeat is recognised as a repeat.
//
//     const std::string token = perdure::new_id();    // "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a11"
#pragma once

#include "perdure/time/random.hpp"

#include <string>

namespace perdure {
inline namespace v0 {

// 36 characters, lower case. Any thread. Cannot be guessed from other ids: the bits are the operating
// system's own.
std::string new_id();

// The same from a given source, for runs that can be replayed. The thread that owns `random`.
std::string new_id(Random& random);

}  // namespace v0
}  // namespace perdure
