// SPDX-License-Identifier: Apache-2.0
//
// What an answer means.
#include <algorithm>
#include <charconv>
#include <utility>

#include "perdure/cosmos/wire/batch_reply.hpp"
#include "perdure/try.hpp"
#include "quorum.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// What is no number, or none that can be meant, is none.
double number_in(std::string_view text) {
    constexpr double most = 1e9;
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number > 0 ? std::min(number, most) : 0;  // not a number is not greater either
}

// Sessions are learned from what was done and from refusals that looked at the item; not from a region
// that is behind.
bool tells_session(StatusCode code) {
    const int status = code.status();
    return status < 400 || status == 409 || status == 412 ||
           (status == 404 && code.substatus() != 1002);
}

Duration wait_in(const http::Headers& headers) {
    const double wait = number_in(headers.find("x-ms-retry-after-ms").value_or(""));
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>{wait});
}

// Container or ranges that are not there, or not yet.
bool may_still_come(StatusCode code) {
    return code == StatusCode{404, 0} || code == StatusCode{404, 1003} ||
           code == StatusCode{404, 1013};
}

Failure anothers_answer(int status) {
    return {.cause = Cause::corrupt,
            .effect = Effect::unknown,
            .status = status,
            .code = "unreadable-answer",
            .message = "somebody else than the service has answered"};
}

}  // namespace

// The fields that every answer is asked for, found in one pass; of several of a name the first counts.
struct Talk::Fields {
    using Field = std::optional<std::string_view>;
    Field charge{}, activity_id{}, session{}, rid{}, range{}, duration{};

    explicit Fields(const http::Headers& headers) {
        for (const http::Header header : headers) {
            const std::string_view name = header.name;
            const auto take = [&](Field& field, std::string_view wanted) {
                if (!field && (name == wanted || http::same_name(name, wanted)))
                    field = header.value;
            };
            // Their lengths differ, and few others are as long.
            switch (name.size()) {
                case 16: take(activity_id, "x-ms-activity-id"); break;
                case 17: take(rid, "x-ms-content-path"); break;
                case 18: take(session, "x-ms-session-token"); break;
                case 19: take(charge, "x-ms-request-charge"); break;
                case 24: take(duration, "x-ms-request-duration-ms"); break;
                case 35: take(range, "x-ms-documentdb-partitionkeyrangeid"); break;
                default: break;
            }
        }
    }
    // Somebody on the way may answer too: 404 for a path that he does not know, 302 or 200 for a page to
    // log in at. Nothing that he says is taken for a write that was done, or for an item that is not there.
    [[nodiscard]] bool are_the_services(StatusCode code) const noexcept {
        return charge || activity_id || code.substatus() != 0;
    }
    // The service's own word about itself. A GUID has 36 characters; what is longer is nobody's id.
    void note_in(Leg& leg) const {
        constexpr std::size_t longest_id = 64;
        leg.server_time = std::chrono::duration_cast<Duration>(
            std::chrono::duration<double, std::milli>{number_in(duration.value_or(""))});
        if (activity_id && !activity_id->empty() && activity_id->size() <= longest_id)
            leg.activity_id = *activity_id;
    }
};

Result<void> Talk::judge(http::Response& response, const Attempt& attempt) {
    const StatusCode code = status_code_of(response.status, response.headers);
    const Fields fields{response.headers};
    const double charge = number_in(fields.charge.value_or(""));
    heard(response, fields, code, charge, attempt);
    if (response.status == 207) return judge_batch(response, attempt);
    const bool the_services = fields.are_the_services(code);
    if (response.status >= 400 && !(order_->takes(code) && the_services))
        return judge_failure(response, code, attempt);
    const bool redirects =
        response.status >= 300 && response.status < 400 && response.status != 304;
    if (redirects || (!the_services && does() == Does::write))
        return fail(anothers_answer(response.status));
    Reply reply{.response = response, .charge = charge};
    if (auto read = order_->read(reply, facts_); !read) {
        Failure failure = std::move(read.error());
        failure.status = response.status;
        if (response.status >= 400) return fail(std::move(failure));  // the request's own judgement
        failure.effect = the_services ? Effect::applied : Effect::unknown;
        return fail(std::move(failure));
    }
    return {};
}

void Talk::heard(const http::Response& response, const Fields& fields, StatusCode code,
                 double charge, const Attempt& attempt) {
    Sent& then = sent(attempt);
    then.heard = true;
    if (client_.regions->troubled())
        client_.regions->note_answer(*then.region, attempt.clock->now());
    if (then.region->lost_races.load(std::memory_order_relaxed) != 0 && does() == Does::read)
        then.region->lost_races.store(0, std::memory_order_relaxed);
    if (Story* const told = story(); told && errand_.purpose == Purpose::call) {
        told->note_answer(attempt.number, code, charge,
                          code.status() == 429 ? wait_in(response.headers) : Duration{});
        if (Leg* const leg = told->find(attempt.number)) fields.note_in(*leg);
    }
    if (envelope_.resource == Resource::container && envelope_.verb == Verb::remove &&
        code.status() < 300 && envelope_.container) {
        Shelved& gone = client_.containers.at(*envelope_.container);
        gone.sessions.forget();
        gone.keep(nullptr);
    }
    if (!shelved_) return;
    if (code.status() < 300 && does() == Does::write) {
        client_.regions->note_write(*then.region);
        if (by_partition() && shelved_->health.any(attempt.clock->now()))
            shelved_->health.note_write(*then.region, range());
    }
    if (!tells_session(code)) return;
    if (fields.session || fields.rid)
        shelved_->sessions.heard(fields.session.value_or(""), fields.rid.value_or(""));
    const std::string meant = then.range.empty() && by_partition() ? range() : then.range;
    if (fields.range && !meant.empty() && *fields.range != meant)
        client_.clerk->suggest(*shelved_, attempt.clock->now());
}

Result<void> Talk::judge_failure(http::Response& response, StatusCode code,
                                 const Attempt& attempt) {
    const WallTime now = attempt.clock->wall();
    const Sent& then = sent(attempt);
    Failure failure = classify({.status = response.status,
                                .headers = &response.headers,
                                .body = response.body,
                                // What was signed with is what the service has refused.
                                .now = http::corrected(now, then.skew),
                                .asked = asked(attempt),
                                .skew = then.skew,
                                .dates = then.region->dates});
    if (failure.remedies.has(Remedy::adjust_clock)) {
        const auto skew = http::measured_skew(response.headers, then.dated, now);
        if (skew && http::may_follow(*skew, then.region->dates)) measured_skew_ = skew;
    }
    // A container that was just created may not have reached this region yet, so its answer is not final: the
    // write region is asked, then the others. Java (4.82) repeats these elsewhere for ranges too.
    if (errand_.purpose == Purpose::container && may_still_come(code) &&
        asked(attempt).regions_left > 0) {
        failure.set_cause(Cause::wrong_region);
        failure.remedies = Remedy::next_endpoint;
        failure.remedies |= Remedy::write_endpoint;
        failure.rule = {};
        failure.retry_after.reset();
    }
    // Nobody knows of what this client has seen: it may have been of a container that was made anew since.
    const Region* const region = sent(attempt).region;
    if (code == StatusCode{404, 1002} && shelved_ && session_lost_everywhere(region)) {
        const TimePoint last = shelved_->fetching.last_begun();
        const TimePoint at = attempt.clock->now();
        if (last == TimePoint::min() || at >= after(last, client_.options.regions.refresh_apart))
            failure.remedies |= Remedy::refresh_routing_item;
        client_.clerk->suggest(*shelved_, at);
    }
    // A range that is gone stays gone, whoever asks for it by its name. One that is being split will be.
    if (code == StatusCode{410, 1002} && !envelope_.range.empty()) failure.retry_after = never;
    // Nobody prepares a question, so it sees to its own keys.
    if (about_) PERDURE_TRY(prepare_(failure.remedies, attempt));
    return fail(std::move(failure));
}

Result<void> Talk::judge_batch(http::Response& response, const Attempt& attempt) {
    PERDURE_TRY_VALUE(const std::vector<BatchResult> results, parse_batch_reply(response.body));
    const BatchResult* const who = culprit(results);
    if (!who)
        return fail({.cause = Cause::corrupt,
                     .effect = Effect::unknown,
                     .status = response.status,
                     .code = "unreadable-answer",
                     .message = "a batch failed, but no operation of it did"});
    ServiceError said{.code = {}, .message = who->message};
    const Sent& then = sent(attempt);
    Failure failure = classify({.status = who->status,
                                .headers = &response.headers,
                                .error = &said,
                                .now = http::corrected(attempt.clock->wall(), then.skew),
                                .asked = asked(attempt),
                                .substatus = who->substatus,
                                .skew = then.skew,
                                .dates = then.region->dates});
    failure.message = "operation " + std::to_string(who - results.data() + 1) +
                      " of the batch: " + failure.message;
    if (who->retry_after && failure.retry_after != never) failure.retry_after = who->retry_after;
    return fail(std::move(failure));
}

http::Conversation* Talk::question() {
    if (!order_ || !order_->has_question()) return nullptr;
    if (!question_) question_.reset(new Talk{*this});
    return question_.get();
}

Landed<void> Talk::landed(http::Response&, Duration since) {
    const Landed<void> found = order_->landed(facts_);
    if (found.verdict() == Verdict::yes || found.verdict() == Verdict::unknown) return found;
    // What is not there yet may still be on its way, if anything is.
    if (found.verdict() == Verdict::pending && !open_.empty() && since < client_.options.settle)
        return Landed<void>::pending(client_.options.settle - since);
    // Another region may only be behind, and so may a single replica of the same one.
    const bool elsewhere =
        std::ranges::any_of(open_, [&](const auto& one) { return one.second != question_->last_; });
    const bool sees_all =
        topology_ &&
        reads_a_quorum(client_.options.discovery, client_.endpoint.host, topology_->consistency);
    return elsewhere || !sees_all ? Landed<void>::unknown() : Landed<void>::no();
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
