// SPDX-License-Identifier: Apache-2.0
//
// When on this host should this job run? At a place within the period that is the host's own and
// stays the same: a fleet then spreads itself without talking, and an overload that does happen
// shows as a pattern, which fresh randomness would hide.
//
//     const Duration offset = stable_offset(host_identity(), "purge", 60s);
//     const Schedule schedule{.period = 60s, .offset = offset};
//     const WallTime next = schedule.next_after(clock.wall());
//
// All of it is arithmetic without memory; any thread may call it.
#pragma once

#include "perdure/duration.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {

// In [0, window): the top of hash × window, where the hash is SipHash-2-4 with the fixed key
// "perdure periodic" over host, a zero byte, job, and, unless it is 0, the epoch as eight
// little-endian bytes. That is a promise: no later version moves a job. A new `epoch` moves every
// host on purpose, when a pattern turned out bad. A window of zero or less has one place, 0.
Duration stable_offset(std::string_view host, std::string_view job, Duration window,
                       std::uint64_t epoch = 0);

// In [0, window): the middle of the `index`-th of `count` equal slices. For fleets that number
// their members, such as the ordinals of a stateful set: no slice gets more than its share, where
// hashing only gets close. An index beyond the count wraps around; no members or no window give 0.
// At most 2^31 members.
Duration even_offset(std::uint32_t index, std::uint32_t count, Duration window);

// The machine id, or the host name where there is none. Two warnings. Pods and containers: the id
// may be missing, or be that of the image and so the same in all copies, and a host name that is
// new at every start moves the job each time; pass an ordinal or another stable name instead.
// Privacy: a machine id is meant to stay on its machine; hash it, as stable_offset does, never
// send it.
std::string host_identity(const std::string& machine_id_file = "/etc/machine-id");

// Fires at k · period + offset, counted from 1970 by the wall clock: from ideal times, never from
// when the last run ended, since jobs that restart their timer when done drift into step with each
// other. Missed times are skipped, not caught up. Any offset will do, it is taken modulo the
// period. A period of zero or less never fires.
struct Schedule {
    Duration period{};
    Duration offset{};

    // The first ideal time later than `now`; WallTime::max() if there is none.
    WallTime next_after(WallTime now) const noexcept;

    // The same for a job that already ran for the ideal time `fired`. A clock set back by up to a
    // period does not run it again; one set back further is believed, else a job that once saw a
    // clock a year ahead would wait that year.
    WallTime next_after(WallTime now, WallTime fired) const noexcept;

    // From `now` to the first ideal time later than it: more than zero, at most a period; or never.
    Duration until_next(WallTime now) const noexcept;
};

}  // namespace v0
}  // namespace perdure
