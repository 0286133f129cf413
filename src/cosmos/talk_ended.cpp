// SPDX-License-Identifier: Apache-2.0
//
// What the end of an attempt says about its region and its partition range, and what is done before the
// next one.
#include <algorithm>
#include <utility>

#include "perdure/time/jitter.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

void Talk::ended(const Attempt& attempt, Failure* failure, TimePoint now) {
    const Region* const region = sent(attempt).region;
    if (!failure || !region) return;
    const bool answered = failure->status != 0;
    if (!answered) *failure = without_answer(std::move(*failure), asked(attempt));
    // Half an answer: its status may be 207, with which a batch that was not done begins as well; and of a
    // 200 nobody knows whether it was the service that said it.
    if (failure->effect == Effect::applied && !sent(attempt).heard)
        failure->effect = Effect::unknown;
    // A conflict may be with an attempt before this one; this one itself was not done.
    const bool refused = sent(attempt).heard && failure->cause == Cause::conflict;
    if (failure->effect == Effect::none || refused)
        std::erase_if(open_, [&](const auto& one) { return one.first == attempt.number; });
    failed_ = true;
    was_ill_ = counts_against_service(failure->cause);
    // What was looked up for later attempts was without this failure.
    for (Spot& spot : spots_)
        if (spot.number > last_endpoint_) spot = {};
    wants_writer_ = failure->remedies.has(Remedy::write_endpoint) && topology_;
    if (wants_writer_) failure->remedies |= Remedy::next_endpoint;
    if (errand_.purpose != Purpose::probe) note_failure(attempt, *failure, now);
}

void Talk::note_failure(const Attempt& attempt, const Failure& failure, TimePoint now) {
    const Region& region = *sent(attempt).region;
    const bool unanswered = failure.cause == Cause::timed_out && failure.status == 0;
    // A second is slow for any region; a plan that waits for less means what it says.
    const Duration fair = std::min<Duration>(client_.caller->memory().attempt_timeout(), 1s);
    const TimePoint begun = sent(attempt).begun;
    if (unanswered) client_.regions->note_timeout(region, begun, fair, now);
    if (unanswered && now - begun < fair) return;
    if (failure.remedies.has(Remedy::mark_endpoint)) return mark(attempt, failure, now);
    if (!shelved_ || errand_.purpose != Purpose::call || !counts_against_service(failure.cause))
        return;
    const std::string own_range = range();
    // If the attempt was counted at its range's own place, Progress reports the failure there.
    if (own_range.empty()) client_.clerk->suggest(*shelved_, now);
    else if (sent(attempt).place == &region.health(does()))
        shelved_->health.note_failure(region, own_range, does(), client_.options.regions.health,
                                      now, client_.options.environment.random);
}

void Talk::mark(const Attempt& attempt, const Failure& failure, TimePoint now) {
    const Region& region = *sent(attempt).region;
    const bool no_writes = failure.code == "403/3";
    const bool whole_account = client_.options.discovery == Discovery::whole_account;
    if (const std::string own_range = no_writes && by_partition() ? range() : std::string{};
        !own_range.empty()) {
        const Duration length =
            lengthened(client_.options.regions.mark_for, client_.options.environment.random.next());
        shelved_->health.refuse_writes(region, own_range, now, after(now, length));
        // It may be the whole account that has failed over, or the range that was split; that is not asked
        // for each refusal.
        if (whole_account) client_.clerk->suggest_account(now);
        client_.clerk->suggest(*shelved_, now);
        return;
    }
    client_.regions->mark(region, no_writes ? Mark::no_writes : Mark::lost, now);
    // Whether or not this call goes on, our picture of the account may be old. Where a region refuses it
    // is, and the next attempt waits for a new one; one that is lost has its mark, which is enough.
    if (!whole_account || errand_.purpose != Purpose::call) return;
    if (failure.status == 0) return client_.clerk->suggest_account(now);
    account_ticket_ = client_.clerk->want_account();
    wait_until_ =
        after(now, patience_for(attempt, now));  // a copy may begin without being prepared
}

// Whether there is no better place to ask for what a session has seen.
bool Talk::session_lost_everywhere(const Region* region) const noexcept {
    if (!topology_ || !wants_session()) return false;
    if (!topology_->multi_write) return region == writer();
    return std::ranges::all_of(topology_->of(does()),
                               [&](const Region* one) { return been_at(one); });
}

Result<void> Talk::Prepare::operator()(RemedySet remedies, const Attempt& attempt) const {
    Talk& self = *talk;
    Client::Inside& client = self.client_;
    const TimePoint now = attempt.clock->now();
    if (remedies.has(Remedy::refresh_credentials) && self.token_ && self.token_ != self.refused_) {
        self.refused_ = self.token_;
        client.options.tokens->renew(*self.token_);
    }
    if (remedies.has(Remedy::adjust_clock) && self.measured_skew_)
        client.skew.store(self.measured_skew_->count(), std::memory_order_relaxed);
    if (self.errand_.purpose != Purpose::call) return {};
    if (self.account_ticket_ != 0) self.wait_until_ = after(now, self.patience_for(attempt, now));
    if ((remedies.has(Remedy::refresh_routing_item) ||
         remedies.has(Remedy::refresh_routing_partition)) &&
        self.shelved_) {
        self.shelved_->doubted = true;
        self.container_ticket_ = client.clerk->want(*self.shelved_);
        self.wait_until_ = after(now, self.patience_for(attempt, now));
    }
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
