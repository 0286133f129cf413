// SPDX-License-Identifier: Apache-2.0
#include "further_headers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "perdure/http/headers.hpp"
#include "perdure/http/method.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Of every request or of some: an upsert that the caller makes of a creation would be repeated as a creation.
constexpr auto own_fields = std::to_array<std::string_view>({
    "A-IM",
    "Accept",
    "authorization",
    "Cache-Control",
    "Connection",
    "Content-Length",
    "Content-Type",
    "Expect",
    "Host",
    "If-Match",
    "If-None-Match",
    "Prefer",
    "Transfer-Encoding",
    "Upgrade",
    "User-Agent",
    "x-ms-activity-id",
    "x-ms-consistency-level",
    "x-ms-continuation",
    "x-ms-cosmos-allow-tentative-writes",
    "x-ms-cosmos-batch-atomic",
    "x-ms-cosmos-batch-continue-on-error",
    "x-ms-cosmos-batch-ordered",
    "x-ms-cosmos-is-batch-request",
    "x-ms-cosmos-is-query-plan-request",
    "x-ms-cosmos-offer-autopilot-settings",
    "x-ms-cosmos-query-version",
    "x-ms-cosmos-read-consistency-strategy",
    "x-ms-cosmos-sdk-supportedcapabilities",
    "x-ms-cosmos-supported-query-features",
    "x-ms-date",
    "x-ms-documentdb-is-upsert",
    "x-ms-documentdb-isquery",
    "x-ms-documentdb-partitionkey",
    "x-ms-documentdb-partitionkeyrangeid",
    "x-ms-documentdb-populatequerymetrics",
    "x-ms-documentdb-query-enablecrosspartition",
    "x-ms-documentdb-responsecontinuationtokenlimitinkb",
    "x-ms-end-epk",
    "x-ms-max-item-count",
    "x-ms-noretry-449",
    "x-ms-offer-throughput",
    "x-ms-read-key-type",
    "x-ms-session-token",
    "x-ms-start-epk",
    "x-ms-version",
});

// Whether one of these lines has this name.
bool has_field(std::string_view lines, std::string_view name) {
    while (!lines.empty()) {
        if (http::same_name(lines.substr(0, lines.find(':')), name)) return true;
        lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1);
    }
    return false;
}

Fail invalid_header(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-header",
                 .message = std::move(message)});
}

}  // namespace

Result<void> add_headers(Envelope& envelope,
                         const std::vector<std::pair<std::string, std::string>>& headers) {
    for (const auto& [name, value] : headers) {
        const auto control = [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; };
        const auto same = [&name = name](std::string_view own) {
            return http::same_name(own, name);
        };
        if (!http::is_token(name)) return invalid_header("the name of a header is no HTTP token");
        if (std::ranges::any_of(value, control))
            return invalid_header("the header " + name + " has control characters in its value");
        if (std::ranges::any_of(own_fields, same))
            return invalid_header("the header " + name + " is written by the client itself");
        if (has_field(envelope.fields, name))
            return invalid_header("the header " + name + " is given twice");
        envelope.add_field(name, value);
    }
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
