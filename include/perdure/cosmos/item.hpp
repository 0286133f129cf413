// SPDX-License-Identifier: Apache-2.0
//
// What does the service give back for one item? Its JSON text as it came, and the version it has.
#pragma once

#include <string>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value. wire/document.hpp reads single values out of the text.
struct Item {
    std::string json{};  // empty: not sent (return=minimal, 304)
    std::string etag{};  // quoted, as it is sent back
    double charge = 0;   // request units of the answer
};

// What a write gave.
struct Written {
    std::string json{};  // empty if it was not asked for
    std::string etag{};  // empty if it was found out, unless the item was asked for
    double charge = 0;
    bool created = false;  // an upsert: there was none before
    // The answer was lost, and the item itself told that it was done. Others may have changed it since, so
    // its etag now need not be that of what was written.
    bool found_out = false;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
