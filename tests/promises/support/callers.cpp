// SPDX-License-Identifier: Apache-2.0
#include "promises/support/callers.hpp"

#include <algorithm>
#include <utility>

#include "perdure/time/clock.hpp"

namespace perdure::promises {
namespace {

constexpr Duration pause_after_failure = 100ms;

}  // namespace

Callers::Callers(int count, Call call, Pace pace) : call_{std::move(call)}, pace_{pace} {
    for (int i = 0; i < count; ++i)
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

void Callers::work(const std::stop_token& stop) {
    Clock& clock = system_clock();
    for (int made = 0; made < pace_.calls_each && !stop.stop_requested(); ++made) {
        const TimePoint next = clock.now() + pace_.apart;
        const std::int64_t number = begin();
        const Word word = end(number, call_(number));
        if (pace_.apart > Duration::zero()) clock.sleep_until(next, stop);
        else if (word != Word::done) clock.sleep_until(clock.now() + pause_after_failure, stop);
    }
}

std::int64_t Callers::begin() {
    const std::scoped_lock lock{mutex_};
    notes_.push_back({.began = system_clock().now()});
    return static_cast<std::int64_t>(notes_.size()) - 1;
}

Word Callers::end(std::int64_t number, Told told) {
    const std::scoped_lock lock{mutex_};
    CallNote& note = notes_[static_cast<std::size_t>(number)];
    note.ended = system_clock().now();
    note.told = std::move(told);
    return note.told.word;
}

int Callers::ended() const { return ended_of_those_begun_after(TimePoint::min()); }

int Callers::ended_of_those_begun_after(TimePoint time) const {
    const std::scoped_lock lock{mutex_};
    return static_cast<int>(std::ranges::count_if(notes_, [&](const CallNote& note) {
        return note.began >= time && note.ended != TimePoint::max();
    }));
}

bool Callers::in_flight_since_before(TimePoint time) const {
    const std::scoped_lock lock{mutex_};
    return std::ranges::any_of(notes_, [&](const CallNote& note) {
        return note.began < time && note.ended == TimePoint::max();
    });
}

void Callers::begin_no_more() {
    for (std::jthread& thread : threads_) thread.request_stop();
}

void Callers::stop() {
    begin_no_more();
    threads_.clear();
}

}  // namespace perdure::promises
