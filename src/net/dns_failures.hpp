// SPDX-License-Identifier: Apache-2.0
//
// What does an error of c-ares mean for a call?
#pragma once

#include <string_view>

#include "net/name_cache.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

Failure dns_failure_of(int status, std::string_view name);
// Only "there is no such name" is remembered: it is an answer.
Memory memory_of(int status) noexcept;

// Nobody answered in the time there was.
Failure dns_timeout(std::string_view name);
// It was no longer wanted.
Failure dns_cancelled(std::string_view name);
// It cannot be the name of a host, so nobody is asked.
Failure bad_name(std::string_view name);

}  // namespace net
}  // namespace v0
}  // namespace perdure
