// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "perdure/http/headers.hpp"

namespace perdure::http {

inline Headers with(std::initializer_list<Header> fields) {
    Headers headers;
    for (const auto& [name, value] : fields) headers.add(name, value);
    return headers;
}

}  // namespace perdure::http
