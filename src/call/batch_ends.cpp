// SPDX-License-Identifier: Apache-2.0
//
// Taking in how sends ended: which items are done, which go out again with their lane, which are
// left for good, and the account.
#include <algorithm>
#include <utility>

#include "perdure/call/batch_progress.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Fewer at once would have helped.
bool too_much_at_once(Cause cause) noexcept {
    return cause == Cause::throttled || cause == Cause::overloaded || cause == Cause::exhausted;
}

}  // namespace

void BatchProgress::end_send(Lane& lane, SendEnd how) noexcept {
    lane.busy = Busy::no;
    lane.wake = TimePoint::min();
    sends_.end(lane.ticket, how);
}

// A send costs what one call costs and does the work of many, and what is repeated is the whole of it:
// so each item pays in. The send itself has paid for one.
void BatchProgress::count_done(std::size_t done, std::size_t at_first_send, TimePoint now) {
    totals_.done += done;
    idle_sends_ = done > 0 ? 0 : std::min(idle_sends_ + 1, options_.parallel.most);
    if (at_first_send > 1) memory_.note_items_done(at_first_send - 1, now);
}

void BatchProgress::note(Item& item, const Failure& failure, Effect nested) const {
    const Effect effect =
        join(operation_.safety == Safety::read ? Effect::none : failure.effect, nested);
    item.effect = failure.settles_earlier ? effect : join(item.effect, effect);
    if (!item.first_cause) item.first_cause = failure.cause;
    item.last = {};
}

// Items of one answer fail for reasons of their own, so the first two questions are asked for each:
// what happened, is it safe. The same function, with a rule that forbids nothing by itself.
Stop BatchProgress::final_for(const Item& item, TimePoint now) const {
    static const Rule unlimited{.attempts = 0, .backoff = {.base = {}, .jitter = Jitter::none}};
    const Failure& failure = item.last.error();
    const bool insists = operation_.also_repeat.when && !is_repeatable(failure.cause) &&
                         operation_.also_repeat.when(failure);
    return decide(unlimited, failure,
                  {.now = now,
                   .safety = operation_.safety,
                   .unresolved = item.effect,
                   .insisted = insists ? Insisted::yes : Insisted::no},
                  *setting_.random)
        .stop;
}

// What Progress is told of those that go out again: the reason that weighs most, the longest wait.
Failure BatchProgress::summary(const std::vector<Item>& left, std::size_t sent) const {
    const auto heaviest = std::find_if(left.begin(), left.end(), [](const Item& item) {
        return too_much_at_once(item.last.error().cause);
    });
    Failure sum = (heaviest == left.end() ? left.front() : *heaviest).last.error();
    for (const Item& item : left) {
        const Failure& failure = item.last.error();
        sum.effect = join(sum.effect, failure.effect);
        sum.remedies |= failure.remedies;
        if (failure.retry_after && *failure.retry_after != never)
            sum.retry_after =
                std::max(sum.retry_after.value_or(Duration::zero()), *failure.retry_after);
    }
    sum.settles_earlier = false;  // of one item, not of the others
    sum.advanced = left.size() < sent;
    return sum;
}

void BatchProgress::answered(std::size_t number, ChunkMarks marks, TimePoint now) {
    Lane& lane = *lanes_[number];
    marks.resize(lane.items.size(), fail({.cause = Cause::corrupt, .code = "not-answered"}));
    const std::size_t sent = lane.items.size();
    std::size_t throttled = 0, done = 0, at_first_send = 0;
    std::vector<Item> left;
    for (std::size_t at = 0; at < sent; ++at) {
        Item& item = lane.items[at];
        if (marks[at]) {
            ++done;
            at_first_send += item.sends == 1 ? 1 : 0;
            continue;
        }
        Failure failure = std::move(marks[at].error());
        throttled += too_much_at_once(failure.cause) ? 1 : 0;
        note(item, failure, Effect::none);
        item.last = fail(std::move(failure));
        if (const Stop stop = final_for(item, now); stop != Stop::none)
            leave(item, item.last.error(), stop, now);
        else left.push_back(std::move(item));
    }
    count_done(done, at_first_send, now);
    // One busy key in a chunk is no reason to send less of the others.
    end_send(lane, 2 * throttled >= sent ? SendEnd::throttled
                   : throttled == 0      ? SendEnd::well
                                         : SendEnd::otherwise);
    lane.items = std::move(left);
    lane.advanced = lane.items.size() < sent;
    if (!lane.items.empty()) return lane.call->partial(lane.number, summary(lane.items, sent), now);
    lane.call->succeeded(lane.number, now);
    lane.call.reset();
    --open_;
}

void BatchProgress::failed(std::size_t number, Failure failure, Effect nested, TimePoint now) {
    Lane& lane = *lanes_[number];
    for (Item& item : lane.items) note(item, failure, nested);
    end_send(lane, too_much_at_once(failure.cause) ? SendEnd::throttled : SendEnd::otherwise);
    lane.advanced = false;
    failure.advanced = false;
    if (failure.cause == Cause::throttled && failure.rule.empty() && moves())
        failure.rule = options_.throttled_in_part;
    count_done(0, 0, now);
    lane.call->failed(lane.number, std::move(failure), nested, now);
}

void BatchProgress::prepared(std::size_t number, Result<void> outcome, TimePoint now) {
    lanes_[number]->busy = Busy::no;
    lanes_[number]->call->prepared(std::move(outcome), now);
}

void BatchProgress::cancelled(TimePoint now) {
    if (std::exchange(cancelled_, true)) return;
    if (setting_.overrun == Overrun::cut_off)
        for (const auto& lane : lanes_)
            if (lane->call && lane->busy == Busy::sending) lane->call->cancelled(now);
    refuse_rest({.cause = Cause::cancelled,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .dependency = memory_.plan().name,
                 .stop = Stop::cancelled,
                 .elapsed = now - setting_.now});
}

// The call has ended without success: what its lane still holds is left.
void BatchProgress::close_lane(Lane& lane, TimePoint now) {
    const Failure last = lane.call->take_failure();
    const bool never_sent = lane.call->attempts() == 0;
    for (Item& item : lane.items) leave(item, item.last ? last : item.last.error(), last.stop, now);
    lane.items.clear();
    lane.call.reset();
    --open_;
    // What kept this chunk from being sent at all holds for the others too.
    if (never_sent && (last.stop == Stop::deadline || last.stop == Stop::permanent))
        refuse_rest(last);
}

void BatchProgress::leave(Item& item, const Failure& last, Stop stop, TimePoint now) {
    Leftover left{.index = item.index, .failure = last};
    left.failure.effect = item.effect;
    left.failure.advanced = false;
    left.failure.stop = stop;
    left.failure.attempts = item.sends;
    left.failure.elapsed = now - setting_.now;
    left.failure.first_cause = item.first_cause.value_or(last.cause);
    if (left.failure.dependency.empty()) left.failure.dependency = memory_.plan().name;
    totals_.leftovers.push_back(std::move(left));
}

void BatchProgress::refuse_rest(const Failure& failure) {
    for (; !all_taken(); ++next_item_) totals_.leftovers.push_back({next_item_, failure});
}

BatchTotals BatchProgress::take_totals(TimePoint now) {
    totals_.elapsed = now - setting_.now;
    std::sort(totals_.leftovers.begin(), totals_.leftovers.end(),
              [](const Leftover& a, const Leftover& b) { return a.index < b.index; });
    return std::move(totals_);
}

}  // namespace v0
}  // namespace perdure
