// SPDX-License-Identifier: Apache-2.0
//
// What an attempt waits for before it can go: a token, the account, the ranges of its container.
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
    // When the first attempt's place was picked, just now, the topology was read.
    if (!topology_ || last_) use(client_.regions->now(now));
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
        use(client_.regions->now(now));
        if (topology_) return true;
        auto problem = account.problem();
        return fail(no_account(problem ? *std::move(problem) : Failure{}));
    }
    if (account_ticket_ == 0) return true;
    if (!account.ended(account_ticket_) && now < wait_until_) return false;
    account_ticket_ = 0;
    use(client_.regions->now(now));
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
    if (container_ticket_ == 0 && !known_ && !did_without_ && wants_ranges() && !hopeless()) {
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

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
