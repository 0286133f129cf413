// SPDX-License-Identifier: Apache-2.0
//
// What did the service say when it said no? The body of an answer from 400 on, fit for a log. Words are
// for people: what to do about it follows from status and substatus alone.
//
//     const ServiceError said = parse_error(response.body);
//     said.code         "NotFound"; empty: it was not Cosmos DB speaking
//     said.message      "Resource Not Found. …"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
struct ServiceError {
    std::string code{};
    std::string message{};

    friend bool operator==(const ServiceError&, const ServiceError&) = default;
};

inline constexpr std::size_t longest_error_message = 1024;

// Never fails. What is no JSON object (a proxy's page, nothing at all) has no code, and its first words,
// without markup, are the message. Texts are printable, cut at their limits, and do not show signatures,
// keys and tokens that somebody repeats. Any thread.
ServiceError parse_error(std::string_view body);

// Whether a 400 (or 431) says that session or continuation tokens have outgrown the limit for headers,
// which front ends say in pages of their own.
bool looks_like_header_too_large(int status, std::string_view body) noexcept;

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
