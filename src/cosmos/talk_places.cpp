// SPDX-License-Identifier: Apache-2.0
//
// Where an attempt goes, and what it waits for before it can go.
#include <algorithm>
#include <utility>

#include "perdure/try.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// How soon it is worth asking the clerk again.
constexpr Duration soon = 2ms;
// A refresh that only may show a better place is waited for so long; then the call goes on as it is.
constexpr Duration patience = 1s;

Failure no_account(Failure problem) {
    problem.effect = Effect::none;
    problem.remedies = {};
    if (problem.rule != "connect") problem.rule = {};
    problem.message = "the account could not be read: " + problem.message;
    return problem;
}

}  // namespace

Result<Duration> Talk::ready(const Attempt& attempt, TimePoint now) {
    if (!order_) return Duration::zero();  // a question goes where the call went
    PERDURE_TRY_VALUE(const bool token, token_ready(attempt));
    if (!token) return soon;
    if (errand_.purpose == Purpose::account || errand_.purpose == Purpose::probe)
        return Duration::zero();
    PERDURE_TRY_VALUE(const bool account, account_ready(now));
    if (!account && !topology_ && attempt.deadline.left(now) <= 2 * soon)
        return fail(no_account(client_.clerk->account().problem().value_or(
            Failure{.cause = Cause::timed_out, .message = "no answer in time"})));
    if (!account) return soon;
    if (errand_.purpose == Purpose::container) return Duration::zero();
    PERDURE_TRY_VALUE(const bool container, container_ready(attempt, now));
    return container ? Duration::zero() : soon;
}

Result<bool> Talk::token_ready(const Attempt& attempt) {
    if (!client_.options.tokens || client_.key) return true;
    TokenSource& source = *client_.options.tokens;
    token_ = source.current(attempt.clock->wall());
    if (token_ && token_ != refused_) return true;
    if (auto problem = source.problem()) return fail(*std::move(problem));
    if (token_ && token_ == refused_)
        return fail({.cause = Cause::forbidden,
                     .effect = Effect::none,
                     .origin = Origin::application,
                     .code = "expired-token",
                     .message = "the service refuses the token, and there is no other"});
    return false;
}

Result<bool> Talk::account_ready(TimePoint now) {
    topology_ = client_.regions->now(now);
    const Fetching& account = client_.clerk->account();
    if (!topology_ &&
        errand_.purpose == Purpose::container) {  // the clerk does not wait for itself
        auto problem = account.problem();
        return fail(no_account(problem ? *std::move(problem) : Failure{}));
    }
    if (!topology_) {
        if (account_ticket_ == 0) account_ticket_ = client_.clerk->join_account();
        if (!account.ended(account_ticket_)) return false;
        account_ticket_ = 0;
        topology_ = client_.regions->now(now);
        if (topology_) return true;
        auto problem = account.problem();
        return fail(no_account(problem ? *std::move(problem) : Failure{}));
    }
    if (account_ticket_ == 0) return true;
    if (!account.ended(account_ticket_) && now < wait_until_) return false;
    account_ticket_ = 0;
    topology_ = client_.regions->now(now);
    return true;
}

// Without the ranges the session tokens of all of them are sent: right, but long. So nobody fails
// because they cannot be had.
Result<bool> Talk::container_ready(const Attempt& attempt, TimePoint now) {
    if (!shelved_) return true;
    known_ = shelved_->known();
    const auto hopeless = [&] {
        return shelved_->fetching.hopeless(now, patience, client_.options.regions.refresh_apart);
    };
    if (container_ticket_ == 0 && !known_ && !did_without_ && wants_session() && !hopeless()) {
        container_ticket_ = client_.clerk->want(*shelved_);
        wait_until_ = after(now, patience_for(attempt, now));
    }
    if (container_ticket_ == 0) return true;
    if (!shelved_->fetching.ended(container_ticket_) && now < wait_until_) return false;
    container_ticket_ = 0;
    known_ = shelved_->known();
    did_without_ = !known_;
    return true;
}

Duration Talk::patience_for(const Attempt& attempt, TimePoint now) const noexcept {
    return std::min(patience, attempt.call_deadline.left(now) / 8);
}

RegionList Talk::candidates(TimePoint now) const {
    if (errand_.only) return {errand_.only};
    if (errand_.purpose == Purpose::account) return client_.account_places(now);
    if (about_) return topology_ ? topology_->writes : RegionList{about_->last_};
    // Databases and containers are made and changed in one region only.
    const bool metadata = envelope_.resource != Resource::item;
    RegionList list = topology_->of(does());
    if (metadata && does() == Does::write && topology_->multi_write && topology_->write_region)
        list = {topology_->write_region};
    if (metadata || options_.excluded.empty() || one_writer()) return list;
    RegionList left;
    for (const Region* const region : list)
        if (std::ranges::none_of(options_.excluded, [&](const std::string& name) {
                return same_region(name, region->name);
            }))
            left.push_back(region);
    return left.empty() ? list : left;
}

bool Talk::been_at(const Region* region) const noexcept {
    return std::ranges::find(visited_, region) != visited_.end();
}

const Region& Talk::choose(const Attempt& attempt, Reason& reason) {
    reason = about_ ? Reason::question : last_ ? Reason::retry : Reason::initial;
    if (about_) return *about_->last_;
    const bool usual = errand_.purpose == Purpose::call && !about_ && options_.excluded.empty() &&
                       envelope_.resource == Resource::item;
    if (!last_ && usual) return *topology_->of(does()).front();
    const RegionList list = candidates(attempt.clock->now());
    if (!last_) return *list.front();

    // Only a copy moves without a remedy.
    const bool moves = attempt.remedies.has(Remedy::next_endpoint);
    const bool copy = !moves && attempt.endpoint != last_endpoint_;
    const bool to_writer = attempt.remedies.has(Remedy::write_endpoint) && topology_;
    const Region* const writer = to_writer ? topology_->writes.front() : nullptr;
    const bool new_places =
        std::ranges::any_of(list, [&](const Region* region) { return !been_at(region); });
    if (writer && writer != last_ && (!been_at(writer) || !new_places)) {
        reason = Reason::write_region;
        return *writer;
    }
    if (copy) reason = Reason::hedge;
    else if (moves || to_writer) reason = Reason::other_region;
    // Where one region writes it is the best of now, which may be another one than just before.
    else return one_writer() ? *list.front() : *last_;
    for (const Region* const region : list)
        if (!been_at(region)) return *region;
    // It has been everywhere: from the beginning.
    visited_.clear();
    if (one_writer()) return *list.front();
    for (const Region* const region : list)
        if (region != last_) return *region;
    return *last_;
}

http::Route& Talk::route(const Attempt& attempt) {
    if (!order_) {  // a question, which is put into words when it is asked
        order_ = about_->order_->question();
        topology_ = about_->topology_;
        known_ = about_->known_;
    }
    if (about_ && client_.options.tokens && !client_.key) {
        // Nobody holds a question until the next token is there, so it takes what there is.
        token_ = client_.options.tokens->current(attempt.clock->wall());
        if (!token_) token_ = about_->token_;
    }
    Reason reason{};
    const Region& region = choose(attempt, reason);
    last_ = &region;
    last_endpoint_ = attempt.endpoint;
    if (!been_at(&region)) visited_.push_back(&region);
    Sent& now_sent = sent(attempt);
    now_sent.region = &region;
    now_sent.heard = false;
    if (Story* const told = story(); told && errand_.purpose == Purpose::call) {
        Leg& leg = told->add(attempt.number, reason);
        leg.region = region.name;
        leg.endpoint = region.endpoint;
    }
    return *region.route;
}

std::string Talk::place(const Attempt& attempt) const { return sent(attempt).region->place; }

Asked Talk::asked(const Attempt& attempt) const {
    const RegionList list = candidates(attempt.clock->now());
    const auto left =
        std::ranges::count_if(list, [&](const Region* region) { return !been_at(region); });
    // A single-write account has one region that writes; the others are asked only because the document
    // may be old.
    const bool several = !one_writer();
    return {.does = does(),
            .regions = several ? static_cast<int>(list.size()) : 1,
            .regions_left = static_cast<int>(left),
            .multi_write = topology_ && topology_->multi_write,
            .renewable_keys = token_.has_value(),
            .after = attempt.remedies};
}

void Talk::ended(const Attempt& attempt, Failure* failure, TimePoint now) {
    const Region* const region = sent(attempt).region;
    if (!failure || !region) return;
    const bool marks = failure->remedies.has(Remedy::mark_endpoint);
    const bool answered = failure->status != 0;
    if (!answered) {
        if (failure->cause == Cause::timed_out) client_.regions->note_timeout(*region, now);
        *failure = without_answer(std::move(*failure), asked(attempt));
    }
    // Half an answer: its status may be 207, with which a batch that was not done begins as well; and of a
    // 200 nobody knows whether it was the service that said it.
    if (failure->effect == Effect::applied && !sent(attempt).heard)
        failure->effect = Effect::unknown;
    // A conflict may be with an attempt before this one; this one itself was not done.
    const bool refused = sent(attempt).heard && failure->cause == Cause::conflict;
    if (failure->effect == Effect::none || refused)
        std::erase_if(open_, [&](const auto& one) { return one.first == attempt.number; });
    if (!marks || errand_.purpose == Purpose::probe) return;
    const bool no_writes = failure->code == "403/3";
    client_.regions->mark(*region, no_writes ? Mark::no_writes : Mark::lost, now);
    // Whether or not this call goes on, our picture of the account may be old. Where a region refuses it
    // is, and the next attempt waits for a new one; one that is lost has its mark, which is enough.
    if (client_.options.discovery != Discovery::whole_account || errand_.purpose != Purpose::call)
        return;
    if (!answered) return client_.clerk->suggest_account(now);
    account_ticket_ = client_.clerk->want_account();
    wait_until_ =
        after(now, patience_for(attempt, now));  // a copy may begin without being prepared
}

// Whether there is no better place to ask for what a session has seen.
bool Talk::session_lost_everywhere(const Region* region) const noexcept {
    if (!topology_ || !wants_session()) return false;
    if (!topology_->multi_write) return region == topology_->writes.front();
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
    if (remedies.has(Remedy::adjust_clock))
        client.skew.store(self.measured_skew_.count(), std::memory_order_relaxed);
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
