// SPDX-License-Identifier: Apache-2.0
//
// Bytes are a status and header fields, one to a line. Whatever a server answers, the failure must be
// bounded, printable, and never call safe what the table does not; what a request brings along must
// be bounded too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "perdure/http/classify.hpp"
#include "perdure/http/propagation.hpp"
#include "perdure/http/retry_after.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

http::Headers headers_in(std::string_view text) {
    http::Headers headers;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos)
            headers.add(line.substr(0, colon), line.substr(colon + 1));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return headers;
}

void try_answer(int status, const http::Headers& headers, WallTime now) {
    const Failure failure = http::classify(status, headers, now);
    must(failure.status == status, "the status is kept");
    must(failure.request_id.size() <= 128, "an id is bounded");
    must(std::ranges::all_of(failure.request_id, [](char c) { return c > ' ' && c <= '~'; }),
         "an id can be printed");
    if (failure.retry_after)
        must(*failure.retry_after >= Duration::zero() &&
                 *failure.retry_after <= http::longest_retry_after,
             "a wait is bounded");
    must(failure.cause == http::row_of(status).cause &&
             failure.effect == http::row_of(status).effect,
         "no header changes cause or effect");
    must(status < 500 || failure.effect == Effect::unknown || !is_repeatable(failure.cause),
         "a server's fault is repeated only as unknown");
}

void try_request(const http::Headers& headers) {
    const http::Inherited inherited = http::parse_inherited(headers);
    if (inherited.timeout)
        must(*inherited.timeout >= Duration::zero() && *inherited.timeout <= 24h,
             "an inherited timeout is bounded");
    const TimePoint now{};
    must(http::deadline_of(inherited, now, 2s).at() <= now + 2s, "the server's own limit holds");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    struct {
        std::uint16_t status;
        std::uint16_t days;
    } head{};
    if (size < sizeof head) return 0;
    std::memcpy(&head, data, sizeof head);
    const std::string_view text{reinterpret_cast<const char*>(data) + sizeof head,
                                size - sizeof head};
    const http::Headers headers = headers_in(text);
    try_answer(head.status % 1024, headers, WallTime{} + 24h * head.days);
    try_request(headers);
    return 0;
}
