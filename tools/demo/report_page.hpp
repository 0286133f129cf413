// SPDX-License-Identifier: Apache-2.0
//
// What can be mailed to somebody who was not there? The demonstration as one page of HTML.
#pragma once

#include <string>

#include "outcome.hpp"

namespace demo {

std::string as_page(const Demonstration& all);

}  // namespace demo
