// SPDX-License-Identifier: Apache-2.0
//
// From one step to the next: which lane may send, what goes into its chunk. How sends end is in
// batch_ends.cpp.
#include "perdure/call/batch_progress.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {

BatchProgress::BatchProgress(Memory& memory, const Operation& operation,
                             const BatchOptions& options, std::size_t items,
                             const BatchSetting& setting)
    : memory_{memory},
      operation_{operation},
      options_{options},
      setting_{setting},
      count_{items},
      idle_sends_{options.parallel.most},
      sends_{options.parallel} {
    // One batch, one deadline: a chunk that is opened late has no more time than the first.
    operation_.deadline =
        operation.deadline.tighter(Deadline::in(memory.plan().deadline, setting.now));
    operation_.diagnostics = nullptr;
    totals_.items = items;
    std::string problems;
    for (const Finding& finding : validate(options))
        problems += (problems.empty() ? "" : "; ") + finding.field + ' ' + finding.text;
    if (!problems.empty())
        refuse_rest({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .dependency = memory.plan().name,
                     .code = "invalid-batch",
                     .message = problems,
                     .stop = Stop::permanent});
}

BatchStep BatchProgress::next(TimePoint now) {
    for (;;) {
        TimePoint until = TimePoint::max();
        if (auto step = watch_sends(now, until)) return *step;
        if (Lane* due = first_due(now, until)) {
            // Who may not send now waits for a send that ends, not for a time.
            if (!sends_.free() && !cancelled_) return {.step = {StepKind::wait, 0, until}};
            if (auto step = turn(*due, now)) return *step;
        } else if (!open_lane(now)) {
            const StepKind kind = open_ == 0 ? StepKind::finish : StepKind::wait;
            return {.step = {.kind = kind, .until = until}};
        }
    }
}

bool BatchProgress::wants_more(TimePoint now) const noexcept {
    if (!sends_.free()) return false;
    if (!all_taken() && open_ < sends_.limit()) return true;
    return std::ranges::any_of(lanes_, [&](const auto& lane) {
        return lane->call && lane->busy == Busy::no && lane->wake <= now;
    });
}

// Cuts off what has overrun, where that is possible.
std::optional<BatchStep> BatchProgress::watch_sends(TimePoint now, TimePoint& until) {
    if (setting_.overrun == Overrun::waited_for) return {};
    for (const auto& each : lanes_) {
        Lane& lane = *each;
        if (!lane.call || lane.busy != Busy::sending) continue;
        const Step step = lane.call->next(now);
        if (step.kind != StepKind::cancel) {
            until = std::min(until, step.until);
            continue;
        }
        const Failure lost{.cause = cancelled_ ? Cause::cancelled : Cause::timed_out};
        for (Item& item : lane.items) note(item, lost, Effect::none);
        end_send(lane, SendEnd::otherwise);
        count_done(0, 0, now);
        return BatchStep{lane.at, step};
    }
    return {};
}

// Of the lanes whose time has come the one that has waited longest.
BatchProgress::Lane* BatchProgress::first_due(TimePoint now, TimePoint& until) noexcept {
    Lane* first = nullptr;
    for (const auto& each : lanes_) {
        Lane& lane = *each;
        if (!lane.call || lane.busy != Busy::no) continue;
        if (!cancelled_ && lane.wake > now) until = std::min(until, lane.wake);
        else if (!first || lane.wake < first->wake) first = &lane;
    }
    return first;
}

// Nothing when there is no step to take for this lane now.
std::optional<BatchStep> BatchProgress::turn(Lane& lane, TimePoint now) {
    if (cancelled_) lane.call->cancelled(now);
    const Step step = lane.call->next(now);
    switch (step.kind) {
        case StepKind::attempt:
            if (std::exchange(lane.advanced, false)) fill(lane.items);
            for (Item& item : lane.items) totals_.rounds = std::max(totals_.rounds, ++item.sends);
            ++totals_.sends;
            lane.busy = Busy::sending;
            lane.number = step.number;
            lane.ticket = sends_.start();
            return BatchStep{lane.at, step};
        case StepKind::prepare: lane.busy = Busy::preparing; return BatchStep{lane.at, step};
        case StepKind::wait: lane.wake = step.until; break;
        case StepKind::finish: close_lane(lane, now); break;
        case StepKind::cancel:
        case StepKind::ask: break;
    }
    return {};
}

bool BatchProgress::open_lane(TimePoint now) {
    if (all_taken() || open_ >= sends_.limit() || !sends_.free()) return false;
    std::vector<Item> items;
    fill(items);
    if (items.empty()) return false;  // those that were left are all too large
    const auto unused = std::ranges::find_if(lanes_, [](const auto& each) { return !each->call; });
    Lane& lane = unused == lanes_.end()
                     ? *lanes_.emplace_back(std::make_unique<Lane>(lanes_.size()))
                     : **unused;
    lane.call.emplace(memory_, operation_,
                      Setting{.now = now,
                              .random = setting_.random,
                              .observer = setting_.observer,
                              .parent = setting_.parent});
    lane.items = std::move(items);
    lane.busy = Busy::no;
    lane.advanced = false;
    lane.wake = now;
    ++open_;
    return true;
}

void BatchProgress::fill(std::vector<Item>& items) {
    std::size_t bytes = 0;
    for (const Item& item : items) bytes += item.bytes;
    while (!all_taken() && items.size() < options_.chunk_items) {
        const std::size_t size = options_.size_of ? options_.size_of(next_item_) : 0;
        if (options_.largest_item > 0 && size > options_.largest_item) {
            Item unsent{.index = next_item_++};
            leave(unsent,
                  {.cause = Cause::too_large,
                   .origin = Origin::application,
                   .code = "item-too-large",
                   .message = std::to_string(size) + " bytes, at most " +
                              std::to_string(options_.largest_item) + " are taken"},
                  Stop::permanent, setting_.now);
            continue;
        }
        const std::size_t limit = options_.chunk_bytes;
        // The first goes whatever its size; further ones only into what is free.
        if (limit > 0 && !items.empty() && (bytes >= limit || size > limit - bytes)) return;
        bytes += size;
        items.push_back({.index = next_item_++, .bytes = size});
    }
}

Chunk BatchProgress::chunk(std::size_t lane) const {
    std::vector<std::size_t> indices;
    indices.reserve(lanes_[lane]->items.size());
    for (const Item& item : lanes_[lane]->items) indices.push_back(item.index);
    return Chunk{std::move(indices)};
}

}  // namespace v0
}  // namespace perdure
