// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/classify.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "perdure/http/date.hpp"
#include "perdure/http/retry_after.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// The service's own names first: what a proxy adds helps only its owner.
constexpr std::array<std::string_view, 8> id_headers = {
    "x-amzn-requestid", "x-amz-request-id", "x-ms-request-id", "x-request-id",
    "request-id",       "x-correlation-id", "x-trace-id",      "cf-ray",
};
constexpr std::size_t longest_id = 128;

constexpr bool is_printable(char c) { return c > ' ' && c <= '~'; }

std::string request_id_of(const Headers& headers) {
    for (const std::string_view name : id_headers) {
        const auto id = headers.find(name);
        if (id && !id->empty() && std::ranges::all_of(*id, is_printable))
            return std::string{id->substr(0, longest_id)};
    }
    return {};
}

std::optional<Duration> retry_after_of(const Headers& headers, WallTime now) {
    const auto value = headers.find("retry-after");
    if (!value) return std::nullopt;
    // Their date minus our time would be off by the difference of the clocks.
    const auto date = headers.find("date");
    const auto theirs = date ? parse_http_date(*date, now) : std::nullopt;
    return parse_retry_after(*value, theirs.value_or(now));
}

std::string message_of(int status, const StatusRow& row) {
    if (row.status == status || row.status == 0) return std::string{row.name};
    return "taken as " + std::string{row.code} + " " + std::string{row.name};
}

}  // namespace

Failure classify(int status, const Headers& headers, WallTime now) {
    const StatusRow& row = row_of(status);
    return {.cause = row.cause,
            .effect = row.effect,
            .retry_after = retry_after_of(headers, now),
            .remedies = row.remedies,
            .rule = row.rule,
            .status = status,
            .code = std::to_string(status),
            .message = message_of(status, row),
            .request_id = request_id_of(headers)};
}

Failure trouble(std::string_view code, Effect effect, std::string message) {
    const StatusRow* const row = trouble_row(code);
    const Cause cause = row ? row->cause : Cause::unavailable;
    const bool ours = cause == Cause::invalid || cause == Cause::cancelled;
    if (message.empty() && row) message = row->name;
    return with_row({.cause = cause,
                     .effect = row && row->effect == Effect::none ? Effect::none : effect,
                     .origin = ours ? Origin::application : Origin::network,
                     .code = std::string{code},
                     .message = std::move(message)});
}

Failure with_row(Failure failure) {
    if (const StatusRow* const row = trouble_row(failure.code)) {
        failure.remedies = row->remedies;
        if (failure.rule.empty()) failure.rule = row->rule;
    }
    return failure;
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
