// SPDX-License-Identifier: Apache-2.0
//
// What does a person see at the end? One screen of 24 lines and 100 columns.
#pragma once

#include <string>

#include "outcome.hpp"

namespace demo {

enum class Colours : unsigned char { none, some };

std::string as_screen(const Demonstration& all, Colours colours);

// One line on a terminal that is written over; silent elsewhere. Used by one thread.
class StatusLine {
public:
    StatusLine();
    ~StatusLine();
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    void show(const std::string& text);

private:
    bool seen_by_somebody_ = false;
    std::string shown_;
};

}  // namespace demo
