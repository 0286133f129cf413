// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/classify.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "perdure/http/classify.hpp"
#include "perdure/http/retry_after.hpp"
#include "status_table.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

using std::chrono::seconds;

// Requests signed about 15 minutes off are refused; a refusal this far off deserves a look at the clock.
constexpr seconds suspicious_skew = 5min;
constexpr std::size_t longest_activity_id = 128;

const std::vector<StatusRow>& table() {
    static const std::vector<StatusRow> all = [] {
        std::vector<StatusRow> rows;
        for (const auto part : {load_rows(), place_rows(), server_rows(), request_rows()})
            rows.insert(rows.end(), part.begin(), part.end());
        return rows;
    }();
    return all;
}

const http::Headers& headers_of(const Answered& answered) {
    static const http::Headers none;
    return answered.headers ? *answered.headers : none;
}

StatusCode code_of(const Answered& answered) {
    if (answered.substatus >= 0) return {answered.status, answered.substatus};
    return status_code_of(answered.status, headers_of(answered));
}

// A proxy does not send these, and of what it answered nobody knows whether it had passed the request on.
bool is_cosmos_speaking(const http::Headers& headers) {
    constexpr std::array<std::string_view, 4> marks = {
        "x-ms-activity-id", "x-ms-substatus", "x-ms-gatewayversion", "x-ms-serviceversion"};
    return std::any_of(marks.begin(), marks.end(),
                       [&](std::string_view name) { return headers.find(name).has_value(); });
}

bool may_be_a_proxys(int status) { return status >= 500 || status == 408 || status == 410; }

// Zero and what is no number are no hint.
std::optional<Duration> asked_delay(const http::Headers& headers) {
    const auto text = headers.find("x-ms-retry-after-ms");
    if (!text || text->empty() || text->front() == '-') return std::nullopt;
    std::int64_t milliseconds = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, error] =
        std::from_chars(text->data(), text->data() + text->size(), milliseconds);
    if (error == std::errc::invalid_argument || (stopped != end && *stopped != '.'))
        return std::nullopt;
    constexpr auto longest =
        std::chrono::duration_cast<std::chrono::milliseconds>(http::longest_retry_after);
    if (error != std::errc{} || milliseconds > longest.count()) return longest;
    if (milliseconds == 0) return std::nullopt;
    return std::chrono::milliseconds{milliseconds};
}

std::string activity_id(const http::Headers& headers) {
    const auto id = headers.find("x-ms-activity-id");
    const auto printable = [](char c) { return c > ' ' && c <= '~'; };
    if (!id || !std::all_of(id->begin(), id->end(), printable)) return {};
    return std::string{id->substr(0, longest_activity_id)};
}

// The service's clock against the one the request was dated with, and against this machine's.
struct Clocks {
    Duration off{};
    Duration from_machine{};
};

std::optional<Clocks> clocks_of(const Answered& answered) {
    if (answered.now == WallTime{}) return std::nullopt;
    const auto off = http::measured_skew(headers_of(answered), answered.now, answered.now);
    if (!off) return std::nullopt;
    const WallTime machine = http::corrected(answered.now, -answered.skew);
    return Clocks{*off, *http::measured_skew(headers_of(answered), machine, machine)};
}

struct Meaning {
    Cause cause = Cause::internal;
    Effect effect = Effect::unknown;
    Reaction reaction{};
    bool final_in_race = false;
    std::string name{};
};

const Reaction& reaction_of(const StatusRow& row, const Asked& asked) {
    const bool several = asked.multi_write && asked.regions > 1;
    if (asked.does == Does::read) return several ? row.multi_read : row.read;
    return several ? row.multi_write : row.write;
}

// The row says where to look in general; how many regions there are and where the call has been decides.
Reaction placed(Reaction reaction, const Asked& asked) {
    if (reaction.rule == "session-elsewhere" && asked.regions_left <= 0) return {};
    if (!reaction.rule.starts_with("elsewhere")) return reaction;
    if (asked.regions < 2) return again("in-region", Remedy::fresh_connection);
    return reaction;
}

// What a refresh helps once against is final when it did not.
void settle_second_time(Meaning& meaning, const Asked& asked) {
    if (meaning.reaction.again == Again::no || is_repeatable(meaning.cause)) return;
    if (asked.after.has(Remedy::refresh_routing_item)) meaning.reaction = {};
    else meaning.cause = Cause::stale_route;
}

// An account without keys refuses a signature whatever the clock says.
bool may_be_the_clock(StatusCode code) {
    return code == StatusCode{403} || (code.status() == 401 && code != StatusCode{401, 5202});
}

// "the clock of this machine is 3600 s ahead of the service's"
std::string apart(Duration off) {
    const auto whole = std::chrono::floor<seconds>(off < 0ns ? -off : off);
    return "the clock of this machine is " + std::to_string(whole.count()) + " s " +
           (off < 0ns ? "ahead of" : "behind") + " the service's";
}

void look_at_keys(Meaning& meaning, const Answered& answered, StatusCode code) {
    if (meaning.cause != Cause::forbidden || !may_be_the_clock(code)) return;
    const RemedySet after = answered.asked.after;
    const auto clocks = clocks_of(answered);
    const bool far = clocks && (clocks->off > suspicious_skew || clocks->off < -suspicious_skew);
    const bool followed = far && http::may_follow(clocks->from_machine, answered.dates);
    if (followed) {
        meaning.name += "; " + apart(clocks->off);
        if (after.has(Remedy::adjust_clock)) return;
        meaning.cause = Cause::clock_skew;
        meaning.reaction = again("clock_skew", Remedy::adjust_clock);
        return;
    }
    if (far)
        meaning.name +=
            "; " + http::unfollowed(headers_of(answered),
                                    http::corrected(answered.now, -answered.skew), answered.dates);
    if (code.status() == 401 && answered.asked.renewable_keys &&
        !after.has(Remedy::refresh_credentials)) {
        meaning.cause = Cause::credentials;
        meaning.reaction = again("credentials", Remedy::refresh_credentials);
    }
}

Meaning meaning_of(const Answered& answered, const StatusRow& row, StatusCode code) {
    const Asked& asked = answered.asked;
    Meaning meaning{.cause = row.cause,
                    .effect = effect_on_write(row, code),
                    .reaction = placed(reaction_of(row, asked), asked),
                    .final_in_race = row.final_in_race,
                    .name = std::string{row.name}};
    if (may_be_a_proxys(answered.status) && !is_cosmos_speaking(headers_of(answered)))
        meaning.effect = Effect::unknown;
    settle_second_time(meaning, asked);
    look_at_keys(meaning, answered, code);
    if (asked.does == Does::read) meaning.effect = Effect::none;
    return meaning;
}

const StatusRow* row_for(const Answered& answered, StatusCode code) {
    if (looks_like_header_too_large(answered.status, answered.body))
        return row_of("header-too-large");
    return row_of(code);
}

std::string message_of(const Answered& answered, const std::string& name) {
    const ServiceError said = answered.error ? *answered.error : parse_error(answered.body);
    if (said.message.empty()) return name;
    return name + ": " + said.message;
}

// A status without a row of ours, in http's words. No source says that Cosmos DB refuses a write with it.
Failure by_status(const Answered& answered, StatusCode code) {
    Failure failure = http::classify(answered.status, headers_of(answered), answered.now);
    failure.code = to_string(code);
    failure.message = message_of(answered, failure.message);
    failure.request_id = activity_id(headers_of(answered));
    failure.effect = answered.asked.does == Does::read ? Effect::none : Effect::unknown;
    return failure;
}

// The mark is kept: it spares others the region, and a write region that is lost may fail over.
RemedySet without_moves(RemedySet remedies) {
    RemedySet kept;
    for (const Remedy remedy : {Remedy::fresh_connection, Remedy::mark_endpoint})
        if (remedies.has(remedy)) kept |= remedy;
    return kept;
}

}  // namespace

std::span<const StatusRow> status_rows() noexcept { return table(); }

const StatusRow* row_of(StatusCode code) noexcept {
    const StatusRow* best = nullptr;
    const auto width = [](const StatusRow& row) { return row.last.packed() - row.code.packed(); };
    for (const StatusRow& row : table())
        if (row.word.empty() && row.code <= code && code <= row.last &&
            (!best || width(row) < width(*best)))
            best = &row;
    return best;
}

const StatusRow* row_of(std::string_view word) noexcept {
    if (word.empty()) return nullptr;
    for (const StatusRow& row : table())
        if (row.word == word) return &row;
    return nullptr;
}

std::string label_of(const StatusRow& row) {
    if (!row.word.empty()) return std::string{row.word};
    const std::string status = std::to_string(row.code.status());
    if (row.last.substatus() == largest_substatus)
        return row_of(row.code) == &row ? status : status + "/*";
    const std::string first = status + "/" + std::to_string(row.code.substatus());
    return row.last == row.code ? first : first + "-" + std::to_string(row.last.substatus());
}

Failure classify(const Answered& answered) {
    const StatusCode code = code_of(answered);
    const StatusRow* const row = row_for(answered, code);
    if (!row) return by_status(answered, code);
    const http::Headers& headers = headers_of(answered);
    const Meaning meaning = meaning_of(answered, *row, code);
    const bool repeated = meaning.reaction.again == Again::yes;
    std::optional<Duration> hint = asked_delay(headers);
    if (!hint) hint = http::classify(answered.status, headers, answered.now).retry_after;
    if (!repeated && is_repeatable(meaning.cause)) hint = never;
    std::string message = message_of(answered, meaning.name);
    std::string request_id = activity_id(headers);
    return {.cause = meaning.cause,
            .effect = meaning.effect,
            .retry_after = hint,
            .remedies = meaning.reaction.remedies,
            .rule = meaning.reaction.rule,
            .final_in_race = meaning.final_in_race && !repeated,
            .status = answered.status,
            .code = to_string(code),
            .message = std::move(message),
            .request_id = std::move(request_id)};
}

Failure without_answer(Failure failure, const Asked& asked) {
    const bool ours = failure.cause == Cause::exhausted || failure.cause == Cause::cancelled;
    if (ours || !is_repeatable(failure.cause)) return failure;
    if (asked.does == Does::read) failure.effect = Effect::none;
    const bool moves = asked.regions > 1 && (asked.does == Does::read || asked.multi_write);
    const bool not_connected = failure.rule == "connect" && failure.effect == Effect::none;
    if (moves || !not_connected)
        failure.rule = failure.cause == Cause::timed_out ? "no-answer" : "connection";
    if (!moves) {
        failure.remedies = without_moves(failure.remedies);
        // What was silent once may be a connection that nobody listens to any more.
        if (failure.cause == Cause::timed_out) failure.remedies |= Remedy::fresh_connection;
    } else {
        failure.remedies |= Remedy::next_endpoint;
    }
    if (failure.remedies.has(Remedy::mark_endpoint))
        failure.remedies |= Remedy::refresh_routing_account;
    return failure;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
