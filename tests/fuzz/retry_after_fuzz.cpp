// SPDX-License-Identifier: Apache-2.0
//
// Bytes are the time on a clock and a header's value. Dates and waits must stay within their ranges,
// and a date that was read must be read again from the way we write it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "perdure/http/date.hpp"
#include "perdure/http/retry_after.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

void try_date(std::string_view text, WallTime now) {
    const auto at = http::parse_http_date(text, now);
    if (!at) return;
    must(text.size() >= 24 && text.size() <= 33, "a date has one of three lengths");
    if (*at == WallTime::min() || *at == WallTime::max()) return;  // held at the ends
    must(http::parse_http_date(http::http_date(*at), now) == at, "a date is written as it is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Duration::rep ticks = 0;
    if (size < sizeof ticks) return 0;
    std::memcpy(&ticks, data, sizeof ticks);
    const WallTime now{Duration{ticks}};
    const std::string_view text{reinterpret_cast<const char*>(data) + sizeof ticks,
                                size - sizeof ticks};
    try_date(text, now);
    if (const auto wait = http::parse_retry_after(text, now))
        must(*wait >= Duration::zero() && *wait <= http::longest_retry_after, "a wait is bounded");
    must(http::parse_http_date(http::http_date(now), now).has_value(), "every time can be written");
    return 0;
}
