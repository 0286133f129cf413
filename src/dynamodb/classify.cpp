// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/classify.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "error_table.hpp"
#include "perdure/dynamodb/skew.hpp"
#include "perdure/http/classify.hpp"
#include "perdure/http/retry_after.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view suffix = "Exception";

const std::vector<ErrorRow>& table() {
    static const std::vector<ErrorRow> all = [] {
        std::vector<ErrorRow> rows;
        for (const auto part : {throttling_rows(), server_rows(), request_rows(), state_rows()})
            rows.insert(rows.end(), part.begin(), part.end());
        return rows;
    }();
    return all;
}

std::string_view without_suffix(std::string_view code) {
    return code.ends_with(suffix) ? code.substr(0, code.size() - suffix.size()) : code;
}

// The statuses behind which the SDKs repeat whatever the code is.
bool is_transient(int status) {
    return status == 500 || status == 502 || status == 503 || status == 504;
}

// Whole milliseconds; anything else is no hint.
std::optional<Duration> asked_delay(const http::Headers& headers) {
    const auto text = headers.find("x-amz-retry-after");
    if (!text || text->empty()) return std::nullopt;
    std::int64_t milliseconds = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, milliseconds);
    if (stopped != end || text->front() == '-') return std::nullopt;
    constexpr auto longest =
        std::chrono::duration_cast<std::chrono::milliseconds>(http::longest_retry_after);
    if (error != std::errc{} || milliseconds > longest.count()) return longest;
    return std::chrono::milliseconds{milliseconds};
}

bool shows_skew(std::string_view code, const std::optional<SkewEvidence>& skew) {
    if (!skew) return false;
    // Not in the shared list any more, but a measured skew explains it, and goes away with a retry.
    if (without_suffix(code) == "RequestExpired") code = "RequestTimeTooSkewed";
    return is_skew(code, skew->used, skew->measured);
}

struct Meaning {
    Cause cause;
    Effect effect = default_effect(cause);
    RemedySet remedies = default_remedies(cause);
    std::string_view rule{};
};

Meaning meaning_of(const Answered& answered, const ErrorRow* row) {
    const ServiceError& error = *answered.error;
    const http::StatusRow& by_status = http::row_of(answered.status);
    const Meaning of_status{by_status.cause, by_status.effect, by_status.remedies, by_status.rule};
    if (row && row->cause != Cause::throttled && !is_repeatable(row->cause) &&
        is_transient(answered.status))
        return of_status;
    if (!row) {
        if (answered.status == 509) return {Cause::throttled};
        return of_status;
    }
    if (shows_skew(error.code, answered.skew)) return {Cause::clock_skew};
    if (row->rule == "limit-exceeded" && plane_of(answered.operation) == Plane::data)
        return {Cause::forbidden};
    if (row->code == "TransactionCanceledException") {
        const Cause cause = judge_cancellation(error.cancellation);
        return {.cause = cause, .rule = cause == Cause::throttled ? "transaction-throttled" : ""};
    }
    // Behind such a status a proxy may speak that had already passed the request on.
    const bool open = is_transient(answered.status) && row->cause != Cause::throttled;
    return {row->cause, open ? Effect::unknown : row->effect, row->remedies, row->rule};
}

const http::Headers& headers_of(const Answered& answered) {
    static const http::Headers none;
    return answered.headers ? *answered.headers : none;
}

}  // namespace

std::span<const ErrorRow> error_rows() noexcept { return table(); }

const ErrorRow* row_of(std::string_view code) noexcept {
    if (code.empty()) return nullptr;
    const ErrorRow* near = nullptr;
    for (const ErrorRow& row : table()) {
        if (row.code == code) return &row;
        if (!near && without_suffix(row.code) == without_suffix(code)) near = &row;
    }
    return near;
}

Failure classify(const Answered& answered) {
    static const ServiceError nothing_said;
    Answered with = answered;
    if (!with.error) with.error = &nothing_said;
    const http::Headers& headers = headers_of(answered);
    Failure by_status = http::classify(answered.status, headers, answered.now);
    const ErrorRow* const row = row_of(with.error->code);
    // What only this side can find is no code of the service's, whoever sends it.
    const Meaning meaning = meaning_of(with, row && row->status != 0 ? row : nullptr);
    const auto asked = asked_delay(headers);
    std::string message = describe(*with.error);
    if (message.empty()) message = std::move(by_status.message);
    const std::string& code = with.error->code.empty() ? by_status.code : with.error->code;
    return {.cause = meaning.cause,
            .effect = meaning.effect,
            .retry_after = asked ? asked : by_status.retry_after,
            .remedies = meaning.remedies,
            .rule = meaning.rule,
            .status = answered.status,
            .code = code,
            .message = std::move(message),
            .request_id = std::move(by_status.request_id)};
}

Failure checksum_mismatch(const Answered& answered) {
    const bool success = answered.status >= 200 && answered.status < 300;
    const ErrorRow& row = *row_of("crc32-mismatch");
    Failure by_status = http::classify(answered.status, headers_of(answered), answered.now);
    return {.cause = row.cause,
            .effect = success ? Effect::applied : Effect::unknown,
            .origin = Origin::network,
            .remedies = row.remedies,
            .status = answered.status,
            .code = std::string{row.code},
            .message = "the answer's bytes do not fit their checksum",
            .request_id = std::move(by_status.request_id)};
}

Cause judge_cancellation(std::span<const CancellationReason> reasons) noexcept {
    bool throttled = false, contended = false;
    std::optional<Cause> final;
    for (const CancellationReason& reason : reasons) {
        if (reason.code == "None") continue;
        if (reason.code == "TransactionConflict") {
            contended = true;
        } else if (reason.code == "ProvisionedThroughputExceeded" ||
                   reason.code == "ThrottlingError") {
            throttled = true;
        } else {
            const ErrorRow* const row = row_of(reason.code);
            const Cause cause = row && !is_repeatable(row->cause) ? row->cause : Cause::invalid;
            // An answer about state is what a caller can act upon, wherever in the list it stands.
            if (!final || cause == Cause::conflict) final = cause;
        }
    }
    if (final) return *final;
    if (throttled) return Cause::throttled;
    return contended ? Cause::contended : Cause::conflict;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
