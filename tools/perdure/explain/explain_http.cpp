// SPDX-License-Identifier: Apache-2.0
#ifdef PERDURE_HAS_HTTP

#include "explain/explain_http.hpp"

#include <charconv>
#include <utility>

#include "perdure/http/classify.hpp"

namespace tool {

namespace {
namespace http_errors {

constexpr std::string_view page = R"(# HTTP statuses and troubles

What a failed HTTP request means, and what Perdure does with it. This page is printed by
`perdure explain http --markdown` from the table that the code uses; [explain](explain.md) shows it row by row.

| column | meaning |
|---|---|
| code | the status, or the code of a trouble without an answer; `Failure::code` |
| cause | what happened; [decide](decide.md) and the plan's [rules](rule.md) go by it |
| effect | whether the request can have been acted upon |
| repeated | `yes`: under every [safety](../concepts/effect-and-safety.md) · `unless once`: for operations declared read, idempotent or guarded · `no` |
| remedy | what is mended before the next attempt |

An answer below 400 is no failure: redirects and 304 go to the caller as they are. A status without a row is taken as
400 if it is below 500, and as 500 otherwise (RFC 9110 15). Every failure keeps its own status. `Retry-After` is honoured
with every status, as seconds or as a date, up to a day.
)";

Failure failure_of(const http::StatusRow& row) {
    return row.status != 0 ? http::classify(row.status, {}, {})
                           : http::trouble(row.code, row.effect);
}

ErrorRow shown(const http::StatusRow& row, std::string_view group) {
    return {group,     std::string{row.code}, std::string{row.name}, failure_of(row), row.why,
            row.source};
}

std::vector<ErrorRow> rows() {
    std::vector<ErrorRow> all;
    for (const auto& row : http::http_rows()) all.push_back(shown(row, "Answers"));
    for (const auto& row : http::trouble_rows()) all.push_back(shown(row, "Without an answer"));
    return all;
}

// -1 for what is no number.
int number_in(std::string_view text) {
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

Otherwise otherwise(std::string_view code) {
    const std::string name{code};
    const int status = number_in(code);
    if (status >= 100 && status < 400)
        return {name + " is no failure: the answer goes to the caller as it is", {}, {}};
    if (status >= 400 && status < 1000) {
        ErrorRow row = shown(http::row_of(status), "Answers");
        std::string as = std::exchange(row.code, name);
        row.failure = http::classify(status, {}, {});
        row.name = row.failure.message;
        return {name + " has no row; it is taken as " + as, std::move(as), std::move(row)};
    }
    if (status >= 0) return {name + " is no status of HTTP", {}, {}};
    ErrorRow row{.group = "Without an answer",
                 .code = name,
                 .name = "a trouble without a row",
                 .failure = http::trouble(code, Effect::unknown),
                 .why = "Effect none while no byte of the request was sent, unknown after.",
                 .source = "perdure"};
    return {name + " has no row; such a trouble is unavailable", {}, std::move(row)};
}

}  // namespace http_errors
}  // namespace

Service http_service() {
    return {"http", "statuses of HTTP, and what can go wrong without an answer", http_errors::rows,
            http_errors::otherwise, http_errors::page};
}

}  // namespace tool

#endif
