// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong with a request over HTTP? The rows of perdure/http/classify.hpp.
#pragma once

#include "explain/explain.hpp"

namespace tool {

Service http_service();

}  // namespace tool
