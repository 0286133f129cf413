// SPDX-License-Identifier: Apache-2.0
//
// A driver whose sessions end no other session. EF Core leaves a session that was lost to itself, and
// what is said to be its algorithm must not be helped.
#pragma once

#include <memory>

#include "perdure/sql/driver.hpp"

namespace perdure::live {

[[nodiscard]] std::shared_ptr<sql::Driver> unfenced(std::shared_ptr<sql::Driver> driver);

}  // namespace perdure::live
