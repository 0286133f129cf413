// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "doctor/facts.hpp"

namespace tool::doctor {

namespace {

// Elapsed times while no process was short of processor time.
Levels unstarved(const Tally& tally) {
    Levels levels;
    for (const auto& [name, one] : tally.instances.rows())
        for (const auto& [at, slot] : one.timeline.slots())
            if (!slot.hungry()) levels.merge(slot.elapsed);
    return levels;
}

void add(Share& share, std::uint64_t part, std::uint64_t of) {
    share.part += std::min(part, of);
    share.of += of;
}

// One period: what falls where in it, and how often it came there.
struct Phases {
    std::vector<Share> shares;
    std::vector<std::uint64_t> lines;
    std::vector<std::set<std::int64_t>> seen, hit;  // which periods
};

Phases phases_of(const Timeline& timeline, std::int64_t period, std::size_t bins,
                 std::uint64_t slow) {
    Phases phases{std::vector<Share>(bins), std::vector<std::uint64_t>(bins),
                  std::vector<std::set<std::int64_t>>(bins),
                  std::vector<std::set<std::int64_t>>(bins)};
    for (const auto& [at, slot] : timeline.slots()) {
        if (slot.calls == 0) continue;
        const std::int64_t time = at * timeline.width();
        const auto bin =
            static_cast<std::size_t>(static_cast<double>(time % period) /
                                     static_cast<double>(period) * static_cast<double>(bins));
        const std::uint64_t hurt = slot.affected + slot.elapsed.above(slow);
        add(phases.shares[bin], hurt, slot.calls);
        phases.lines[bin] += slot.lines;
        phases.seen[bin].insert(time / period);
        // Background noise is no spike: a tenth of the second's calls must be hurt.
        if (10 * hurt >= slot.calls) phases.hit[bin].insert(time / period);
    }
    return phases;
}

Rhythm rhythm_in(const Phases& phases, std::int64_t period) {
    const std::size_t bins = phases.shares.size();
    Share all;
    for (const Share& share : phases.shares) add(all, share.part, share.of);
    std::uint64_t lines_in_all = 0;
    for (const std::uint64_t lines : phases.lines) lines_in_all += lines;
    Rhythm best;
    for (std::size_t start = 0; start < bins; ++start)
        for (std::size_t wide = 1; wide <= 1 + bins / 12; ++wide) {
            Rhythm now{.period = period,
                       .phase = static_cast<std::int64_t>(start) * period /
                                static_cast<std::int64_t>(bins)};
            std::set<std::int64_t> seen, hit;
            for (std::size_t i = 0; i < wide; ++i) {
                const std::size_t bin = (start + i) % bins;
                add(now.inside, phases.shares[bin].part, phases.shares[bin].of);
                now.lines += phases.lines[bin];
                seen.insert(phases.seen[bin].begin(), phases.seen[bin].end());
                hit.insert(phases.hit[bin].begin(), phases.hit[bin].end());
            }
            now.lines_in_all = lines_in_all;
            now.outside = {all.part - now.inside.part, all.of - now.inside.of};
            now.periods = seen.size();
            now.repeats = seen.empty()
                              ? 0
                              : static_cast<double>(hit.size()) / static_cast<double>(seen.size());
            // More trouble inside, at the price of time that is troubled less.
            const auto worth = [](const Rhythm& one) {
                return static_cast<double>(one.inside.part) *
                       (one.inside.value() - one.outside.value());
            };
            if (best.period == 0 || worth(now) > worth(best)) best = now;
        }
    return best;
}

// In how many of twenty stretches attempts are cut off, at a quarter of the usual share and more.
double through_of(const Timeline& timeline) {
    constexpr std::int64_t stretches = 20;
    if (timeline.slots().empty()) return 0;
    const std::int64_t begin = timeline.slots().begin()->first;
    const std::int64_t span = timeline.slots().rbegin()->first - begin + 1;
    std::array<Share, stretches> shares{};
    Share all;
    for (const auto& [at, slot] : timeline.slots()) {
        Share& one = shares[static_cast<std::size_t>((at - begin) * stretches / span)];
        one.part += slot.timed_out;
        one.of += slot.attempts;
        all.part += slot.timed_out;
        all.of += slot.attempts;
    }
    std::uint64_t seen = 0, hit = 0;
    for (const Share& one : shares) {
        // Where fewer than three are to be expected, none may be chance.
        if (static_cast<double>(one.of) * all.value() < 3) continue;
        ++seen;
        if (one.value() >= all.value() / 4) ++hit;
    }
    return seen < 4 ? 1 : static_cast<double>(hit) / static_cast<double>(seen);
}

}  // namespace

Starving starving_of(const Tally& tally) {
    Starving found;
    const Levels usual = unstarved(tally);
    found.contrast = 10 * usual.count() >= tally.calls && usual.count() > 0;
    const std::uint64_t slow = 3 * usual.quantile(0.5);
    for (const auto& [name, one] : tally.instances.rows()) {
        std::uint64_t hungry_calls = 0;
        for (const auto& [at, slot] : one.timeline.slots()) {
            const std::uint64_t hurt =
                slot.affected + (found.contrast ? slot.elapsed.above(slow) : 0);
            add(slot.hungry() ? found.hurt : found.hurt_else, hurt, slot.calls);
            add(found.calls, slot.hungry() ? slot.calls : 0, slot.calls);
            hungry_calls += slot.hungry() ? slot.calls : 0;
        }
        found.late_ticks.part += one.late_ticks;
        found.late_ticks.of += one.intervals;
        if (5 * one.starved > one.intervals && hungry_calls > 0) found.instances.push_back(name);
        if (one.starved == 0) continue;
        found.utilization = std::max(found.utilization, one.highest_utilization);
        found.tick_late = std::max(found.tick_late, one.latest_tick);
    }
    found.late = {tally.slow_by_own, tally.calls};
    return found;
}

Cut cut_of(const Tally& tally) {
    Cut worst;
    for (const auto& [name, work] : tally.works.rows()) {
        if (work.cut.count() <= worst.cut.part) continue;
        worst = {.work = name, .cut = {work.cut.count(), work.attempts}};
        const bool known = work.attempt_timeout > 0;
        const std::uint64_t limit = known ? 1'000'000'000 : work.cut.quantile(0.5);
        // Later than the limit by a timer's usual lateness, or shorter by what a clock rounds.
        worst.at_limit = {work.cut.above(limit / 100 * 90) - work.cut.above(limit / 100 * 125),
                          work.cut.count()};
        const std::uint64_t near = work.good.above(limit / 2);
        worst.near = static_cast<double>(near) /
                     static_cast<double>(std::max<std::uint64_t>(work.cut.count(), 1));
        worst.limit = known ? work.attempt_timeout : static_cast<std::int64_t>(limit);
        const Levels& good = work.good;
        const auto share = [&good, limit](double q) {
            return static_cast<double>(good.quantile(q)) /
                   static_cast<double>(std::max<std::uint64_t>(limit, 1));
        };
        worst.good_p50 = share(0.5);
        worst.good_p99 = share(0.99);
    }
    worst.through = through_of(tally.timeline);
    return worst;
}

Rhythm rhythm_of(const Timeline& timeline, std::uint64_t slow) {
    Rhythm best;
    if (timeline.slots().empty()) return best;
    const std::int64_t span =
        (timeline.slots().rbegin()->first - timeline.slots().begin()->first + 1) * timeline.width();
    for (const std::int64_t seconds : {10, 15, 20, 30, 60, 300, 600, 900, 1800, 3600}) {
        const std::int64_t period = seconds * second;
        if (span < 3 * period || period < 5 * timeline.width()) continue;
        const auto bins =
            static_cast<std::size_t>(std::min<std::int64_t>(60, period / timeline.width()));
        Rhythm now = rhythm_in(phases_of(timeline, period, bins, slow), period);
        now.chance = by_chance(known_from(now.lines, now.inside),
                               known_from(now.lines_in_all - now.lines, now.outside)) *
                     static_cast<double>(bins) * 10;
        const auto quality = [](const Rhythm& one) {
            const double total = static_cast<double>(one.inside.part + one.outside.part);
            return one.repeats * static_cast<double>(one.inside.part) / std::max(total, 1.0);
        };
        if (now.periods >= 3 && (best.period == 0 || quality(now) > quality(best) + 1e-9))
            best = now;
    }
    return best;
}

Hot hot_of(const Tally& tally) {
    Hot hot;
    if (tally.limited_with_subject == 0) return hot;
    const Subject* found = nullptr;
    for (const auto& [name, subject] : tally.subjects.rows())
        if (subject.limited > (found ? found->limited : 0)) {
            found = &subject;
            hot.subject = name;
        }
    if (!found) return hot;
    hot.inside = {found->limited, found->calls};
    hot.outside = {tally.limited_with_subject - found->limited, tally.with_subject - found->calls};
    hot.share =
        static_cast<double>(found->limited) / static_cast<double>(tally.limited_with_subject);
    hot.known = static_cast<double>(tally.limited_with_subject) /
                static_cast<double>(std::max<std::uint64_t>(tally.limited, 1));
    hot.chance = by_chance(found->lines, {tally.lines_with_subject.part - found->lines.part,
                                          tally.lines_with_subject.of - found->lines.of}) *
                 static_cast<double>(tally.subjects.rows().size());
    return hot;
}

Oversized oversized_of(const Tally& tally) {
    const auto look = [](const std::array<SizeClass, 65>& classes, const char* measure) {
        std::uint64_t served = 0;
        for (const SizeClass& one : classes) served += one.calls - one.refused;
        std::size_t median = 0;
        for (std::uint64_t seen = 0; median < 64; ++median) {
            seen += classes[median].calls - classes[median].refused;
            if (2 * seen >= served) break;
        }
        Oversized found{.from = std::uint64_t{1} << std::min<std::size_t>(median + 2, 63),
                        .typical = median == 0 ? 0 : std::uint64_t{1} << (median - 1),
                        .measure = measure};
        // Three doublings above the typical one: at least four times as large, mostly eight.
        for (std::size_t i = 0; i < classes.size(); ++i)
            add(i >= median + 3 ? found.large : found.small, classes[i].refused, classes[i].calls);
        return found;
    };
    const Oversized bytes = look(tally.by_bytes, "bytes"), units = look(tally.by_units, "units");
    return units.large.part > bytes.large.part ? units : bytes;
}

}  // namespace tool::doctor
