// SPDX-License-Identifier: Apache-2.0
//
// Bytes are a status, a plane and a body. Whatever comes back, the error must be bounded and fit for a
// log, and no body may make a write look untouched that the status leaves open.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "perdure/dynamodb/classify.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

bool is_plain(std::string_view text) {
    return std::ranges::none_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void try_error(const dynamodb::ServiceError& error) {
    must(error.code.size() <= 128 && is_plain(error.code), "a code is short and plain");
    must(error.message.size() <= dynamodb::longest_error_message && is_plain(error.message),
         "a message is short and plain");
    must(error.cancellation.size() <= dynamodb::most_error_reasons &&
             error.throttling.size() <= dynamodb::most_error_reasons,
         "reasons are bounded");
    for (const auto& reason : error.cancellation)
        must(is_plain(reason.code) && is_plain(reason.message), "a reason is plain");
    const std::string words = dynamodb::describe(error);
    must(words.size() <= 4096 && is_plain(words), "a description is short and plain");
}

void try_failure(int status, std::string_view operation, const dynamodb::ServiceError& error) {
    const Failure failure =
        dynamodb::classify({.status = status, .error = &error, .operation = operation});
    must(failure.status == status, "the status is kept");
    must(status != 500 && status != 502 && status != 503 && status != 504
             ? true
             : failure.effect == Effect::unknown || failure.cause == Cause::throttled,
         "behind a 5xx only a throttle did nothing");
    must(failure.cause != Cause::clock_skew, "there is no skew without evidence");
    must(!failure.code.empty(), "a failure has a code");
    const Cause judged = dynamodb::judge_cancellation(error.cancellation);
    must(!is_repeatable(judged) || judged == Cause::throttled || judged == Cause::contended,
         "a cancelled transaction is repeated for two causes only");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint16_t head = 0;
    if (size < sizeof head) return 0;
    std::memcpy(&head, data, sizeof head);
    const std::string_view body{reinterpret_cast<const char*>(data) + sizeof head,
                                size - sizeof head};
    const dynamodb::ServiceError error = dynamodb::parse_error(body);
    try_error(error);
    try_failure(head % 1024, head >= 1U << 15U ? "CreateTable" : "PutItem", error);
    return 0;
}
