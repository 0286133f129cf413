// SPDX-License-Identifier: Apache-2.0
//
// What does an HTTP answer mean for the call, and what does it mean when none came? One table, row by
// row; services with words of their own have tables of their own.
//
//     if (response.status >= 400) return fail(http::classify(response.status, response.headers, now));
//
// `perdure explain http` prints the table, and docs/reference/http-statuses.md is printed from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "perdure/failure.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

struct StatusRow {
    int status = 0;           // 0: no answer could be read; the code says why
    std::string_view code{};  // "503", "dns-timeout", "ECONNREFUSED"
    std::string_view name{};
    Cause cause = Cause::internal;
    Effect effect = default_effect(cause);  // without an answer: the worst, after a byte was sent
    RemedySet remedies = default_remedies(cause);
    std::string_view rule{};  // the plan's rule; empty: the one named after the cause
    std::string_view why{};
    std::string_view source{};
};

// Every status that has a row, in ascending order. All of the table is constant; any thread.
std::span<const StatusRow> http_rows() noexcept;
// What can go wrong without an answer, in the order of a request's phases.
std::span<const StatusRow> trouble_rows() noexcept;

// The row that serves a status. One without a row is taken as the first of its class, as RFC 9110 15
// asks: 4xx as 400, everything else from 500 on as 500. What is below 400 is no failure; where it is
// called one all the same, because an answer was needed and a redirect came, it is `invalid`.
const StatusRow& row_of(int status) noexcept;
// Null for a code without a row.
const StatusRow* trouble_row(std::string_view code) noexcept;

// The failure a status means. Its message is the status's name and not the server's reason phrase,
// which may hold anything; Retry-After becomes `retry_after`, and the first header that names the
// request becomes `request_id` (printable ASCII only, cut at 128 bytes). `now` is our wall clock: a
// date in Retry-After is measured on the server's own, if it sent a Date.
Failure classify(int status, const Headers& headers, WallTime now);

// The failure a trouble without an answer means; the effect is what is known of this attempt
// (effect_of(sent)), and none where the row says that nothing can have been sent. A code without a
// row is `unavailable`.
Failure trouble(std::string_view code, Effect effect, std::string message = {});

// The same failure with the remedies and the rule of its row: net knows what broke, not what helps.
Failure with_row(Failure failure);

}  // namespace http
}  // namespace v0
}  // namespace perdure
