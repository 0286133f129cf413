// SPDX-License-Identifier: Apache-2.0
//
// Which pages are looked at by tests and by people? Made-up results in the shape of real ones.
#pragma once

#include "page/page.hpp"

namespace tool::samples {

// Every kind of block, six policies in a storm, a loop of hysteresis, latencies.
Page storm();

// Ten lines of a thousand points.
Page big();

// Texts that try to be markup, numbers that are none.
Page hostile();

}  // namespace tool::samples
