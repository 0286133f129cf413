// SPDX-License-Identifier: Apache-2.0
//
// Which answers say that a write was surely not done. It is a white list, because a wrong "not done" makes a
// repeated write count twice, while a wrong "unknown" costs one read.
#include <algorithm>
#include <array>

#include "perdure/cosmos/wire/classify.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// A 410 or a 503 with one of these is made before a write reaches a replica, or by a replica that refuses it:
// after them GoneAndRetryWithRequestRetryPolicy of the .NET SDK, which gateways run too, sends the write again.
// Sorted. Not in the list is what is made after the write as well: ConsistencyWriter waits until other replicas
// or regions confirm a write, and ends with 1022, 21006 or 21012 if they do not.
constexpr std::array not_processed{0,     1000,  1002,  1007,  1008,  20009, 21001,
                                   21002, 21003, 21004, 21005, 21007, 21008};

// From here on a substatus is made on the way: by the service's proxies (13000 to 13100 in StatusCodes of the
// .NET SDK) or by the library that gateways and SDKs share (from 20000). The status then proves nothing: 13020
// is a response that is too large of a transaction that was done.
constexpr int first_made_on_the_way = 10'000;

bool needs_the_substatus(int status) { return status == 410 || status == 503; }

}  // namespace

Effect effect_on_write(const StatusRow& row, StatusCode code) noexcept {
    if (row.refusal.empty()) return Effect::unknown;
    if (needs_the_substatus(code.status()))
        return std::ranges::binary_search(not_processed, code.substatus()) ? Effect::none
                                                                           : Effect::unknown;
    const bool serves_any = row.last.substatus() == largest_substatus;
    return serves_any && code.substatus() >= first_made_on_the_way ? Effect::unknown : Effect::none;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
