// SPDX-License-Identifier: Apache-2.0
#include "perdure/telemetry/metrics.hpp"

#include <algorithm>

#include "exposition.hpp"
#include "series.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Of a name that is made up at run time, so much is kept.
constexpr std::size_t longest_label = 120;

void add(Tally64& tally) noexcept { tally.fetch_add(1, std::memory_order_relaxed); }

void count_end(Series& series, const Event& event) noexcept {
    Outcome outcome = Outcome::success;
    if (event.failure) {
        outcome = event.failure->effect == Effect::unknown ? Outcome::unknown : Outcome::failure;
        add(series.failures[static_cast<std::size_t>(Cause{event.failure->cause})]
                           [static_cast<std::size_t>(event.stop)]);
    }
    series.durations[static_cast<std::size_t>(outcome)].record(event.elapsed);
}

void count(Series& series, const Event& event) noexcept {
    switch (event.kind) {
        case EventKind::hedge_started: return add(series.hedges);
        case EventKind::attempt_succeeded: return add(series.attempts_succeeded);
        case EventKind::attempt_cut_off: return add(series.attempts_cut_off);
        case EventKind::attempt_overran: return add(series.attempts_overran);
        case EventKind::attempt_failed:
        case EventKind::partly_done:
            return add(
                series.attempts_failed[static_cast<std::size_t>(Cause{event.failure->cause})]);
        case EventKind::waiting:
            series.waited.fetch_add(event.wait.count(), std::memory_order_relaxed);
            return;
        case EventKind::asking: return add(series.asked);
        case EventKind::finished: return count_end(series, event);
        default: return;
    }
}

template <class Entry>
Entry* find(GrowingTable<Entry>& table, std::string_view a, std::string_view b) noexcept {
    try {
        return table.find_or_add(a.substr(0, longest_label), b.substr(0, longest_label));
    } catch (...) {  // out of memory
        return nullptr;
    }
}

bool counts(EventKind kind) noexcept {
    return kind != EventKind::call_started && kind != EventKind::attempt_started &&
           kind != EventKind::woken && kind != EventKind::preparing && kind != EventKind::landed;
}

}  // namespace

struct Metrics::Inside {
    explicit Inside(std::size_t most)
        : series{most + 1}, dependencies{most}, other{*series.find_or_add("other", "other")} {}

    Series& series_of(const Event& event) noexcept {
        Series* const found = find(series, event.dependency, event.operation);
        return found ? *found : other;
    }
    void note_budget(const Event& event) noexcept {
        if (DependencyGauges* const found = find(dependencies, event.dependency, {}))
            found->budget_milli.store(event.budget_milli_left, std::memory_order_relaxed);
    }

    GrowingTable<Series> series;
    GrowingTable<DependencyGauges> dependencies;
    Series&
        other;  // in the table from the beginning, so that nobody's own "other" stands beside it
};

Metrics::Metrics(const MetricsOptions& options)
    : inside_{std::make_unique<Inside>(std::max<std::size_t>(options.most_series, 1))} {}
Metrics::~Metrics() = default;

void Metrics::on_event(const Event& event) noexcept {
    if (!counts(event.kind)) return;
    count(inside_->series_of(event), event);
    if (event.kind == EventKind::finished) inside_->note_budget(event);
}

std::string Metrics::prometheus() const {
    std::vector<const Series*> all;
    inside_->series.each([&](const Series& each) { all.push_back(&each); });
    std::vector<const DependencyGauges*> dependencies;
    inside_->dependencies.each(
        [&](const DependencyGauges& each) { dependencies.push_back(&each); });
    return exposition(std::move(all), std::move(dependencies));
}

}  // namespace v0
}  // namespace perdure
