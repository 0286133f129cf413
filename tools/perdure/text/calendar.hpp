// SPDX-License-Identifier: Apache-2.0
//
// How is a schedule written for cron and systemd, and a time for people? In UTC, from which
// schedules count.
//
//     calendar_of({.period = 1h, .offset = 1437s}).crontab    // "23 * * * * sleep 57; COMMAND"
#pragma once

#include <cstdint>
#include <string>

#include "perdure/time/periodic.hpp"

namespace tool {

using namespace perdure;

// Empty where no line can say it. Whole seconds: neither knows shorter ones that matter here.
struct Calendar {
    std::string crontab;
    std::string systemd;
};

Calendar calendar_of(const Schedule& schedule);

// "2026-11-16T10:23:57.250Z"
std::string in_utc(WallTime at);
// "2026-11-16 10:23 UTC"
std::string utc_minute(std::uint64_t seconds_since_1970);

}  // namespace tool
