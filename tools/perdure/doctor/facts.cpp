// SPDX-License-Identifier: Apache-2.0
#include "doctor/facts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tool::doctor {

namespace {

// Instances that lived through the bad time look worse than those that were gone by then. So they are
// held against the others stretch by stretch.
void compare_at_the_same_time(const Tally& tally, Subset& found) {
    constexpr std::int64_t stretches = 20;
    const std::int64_t span = std::max<std::int64_t>(tally.last - tally.first, 1) + 1;
    std::array<Share, stretches> inside{}, outside{};
    for (const auto& [name, one] : tally.instances.rows()) {
        const bool in = std::ranges::find(found.names, name) != found.names.end();
        for (const auto& [at, slot] : one.timeline.slots()) {
            const std::int64_t since = at * one.timeline.width() - tally.first;
            const auto place =
                std::clamp<std::int64_t>(since / (span / stretches + 1), 0, stretches - 1);
            Share& share = (in ? inside : outside)[static_cast<std::size_t>(place)];
            share.part += slot.affected;
            share.of += slot.calls;
        }
    }
    double expected = 0, met = 0;
    std::uint64_t compared = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (outside[i].of == 0) continue;
        compared += inside[i].of;
        met += static_cast<double>(inside[i].part);
        expected += static_cast<double>(inside[i].of) * outside[i].value();
    }
    found.compared = {compared, found.inside.of};
    // Half a case stands for what cannot be seen in so few calls.
    found.times = met / std::max(expected, 0.5);
}

Subset sick_instances(const Tally& tally) {
    std::vector<Counted> groups;
    for (const auto& [name, one] : tally.instances.rows())
        if (one.calls > 0)
            groups.push_back({name,
                              {one.affected, one.calls},
                              one.timeline.affected_without_blips().value(),
                              one.lines});
    Subset found = subset_of(groups, groups.size() / 2);
    compare_at_the_same_time(tally, found);
    return found;
}

// What p95 usually is on each route (dependency, operation, address) that several instances take: that
// of the middle one, of two the faster one. A host far from a service is slow and well, so instances are
// compared on the same roads only.
std::map<std::string, std::uint64_t> usual_p95(const Tally& tally) {
    constexpr std::uint64_t enough = 10;
    std::map<std::string, Levels> seen;
    for (const auto& [name, one] : tally.instances.rows())
        for (const auto& [route, elapsed] : one.routes.rows())
            if (route != other && elapsed.count() >= enough)
                seen[route].add(elapsed.quantile(0.95));
    std::map<std::string, std::uint64_t> usual;
    for (const auto& [route, levels] : seen)
        if (levels.count() > 1) usual[route] = levels.quantile(0.5);
    return usual;
}

// Slow is what takes twice as long as the usual p95 of its route.
Subset slow_instances(const Tally& tally) {
    const auto usual = usual_p95(tally);
    std::vector<Counted> groups;
    std::map<std::string, double> slowness;
    for (const auto& [name, one] : tally.instances.rows()) {
        Share slow;
        double limits = 0, times = 0;
        for (const auto& [route, elapsed] : one.routes.rows()) {
            const auto found = usual.find(route);
            if (found == usual.end()) continue;
            slow.part += elapsed.above(2 * found->second);
            slow.of += elapsed.count();
            const auto calls = static_cast<double>(elapsed.count());
            const auto typical = static_cast<double>(std::max<std::uint64_t>(found->second, 1));
            limits += calls * 2 * typical;
            times += calls * static_cast<double>(elapsed.quantile(0.95)) / typical;
        }
        if (slow.of == 0) continue;
        const auto calls = static_cast<double>(slow.of);
        slowness[name] = times / calls;
        const Share steady =
            one.timeline.slow_without_blips(static_cast<std::uint64_t>(limits / calls));
        groups.push_back({name, slow, steady.value(), known_from(one.lines.of, slow)});
    }
    Subset found = subset_of(groups, groups.size() / 2);
    for (const std::string& name : found.names)
        found.slowness = std::max(found.slowness, slowness[name]);
    return found;
}

// An address is compared with the others of the same dependency: services differ anyway.
Subset sick_places_of(const Tally& tally, const std::string& dependency) {
    std::vector<Counted> groups;
    for (const auto& [name, place] : tally.places.rows())
        if (place.dependency == dependency)
            groups.push_back({name, place.troubled, place.timeline.affected_without_blips().value(),
                              place.lines});
    Subset found = subset_of(groups, groups.empty() ? 0 : groups.size() - 1);
    std::map<std::string, Share> users;
    for (const std::string& name : found.names)
        for (const auto& [who, share] : tally.places.find(name)->by_instance.rows()) {
            users[who].part += share.part;
            users[who].of += share.of;
        }
    for (const auto& [who, share] : users) {
        // One that sent three attempts there says nothing either way.
        if (share.part == 0 && share.of < 10) continue;
        ++found.instances;
        if (share.value() > 0.3 * found.inside.value()) ++found.instances_affected;
    }
    return found;
}

Subset sick_places(const Tally& tally) {
    Subset worst;
    for (const auto& [name, group] : tally.dependencies.rows()) {
        Subset found = sick_places_of(tally, name);
        found.of += worst.of;
        const bool worse = found.inside.part > worst.inside.part;
        worst.of = found.of;
        if (worse) worst = std::move(found);
    }
    return worst;
}

Storm storm_of(const Timeline& timeline) {
    Storm storm;
    for (const auto& [at, slot] : timeline.slots()) {
        if (slot.calls == 0 || 5 * slot.affected < slot.calls) continue;
        storm.calls += slot.calls;
        storm.attempts += slot.attempts;
        storm.failed += slot.failed;
        storm.retried += slot.retried;
        storm.in_vain += slot.retried_in_vain;
        storm.troubled += slot.troubled;
        storm.by_load += slot.timed_out + slot.overloaded;
    }
    return storm;
}

std::size_t affected_instances(const Tally& tally, const Facts& facts) {
    std::size_t count = 0;
    for (const auto& [name, one] : tally.instances.rows())
        if (one.calls > 0 && Share{one.affected, one.calls}.value() > 0.3 * facts.affected.value())
            ++count;
    return count;
}

std::int64_t p99_of(const Sketch& sketch) {
    return sketch.quantile(0.99).value_or(Duration{}).count();
}

}  // namespace

Subset subset_of(std::vector<Counted> groups, std::size_t most) {
    constexpr double sure = 0.001;
    Subset none{.of = groups.size()};
    if (groups.size() < 2) return none;
    std::ranges::sort(groups, [](const Counted& a, const Counted& b) {
        return a.share.value() > b.share.value();
    });
    Share rest;
    for (Counted& group : groups) {
        if (group.lines.of == 0) group.lines = group.share;
        rest.part += group.share.part;
        rest.of += group.share.of;
    }
    // The cut after which inside and outside differ most, by the likelihood of two shares.
    const auto likelihood = [](Share share) {
        const auto part = static_cast<double>(share.part), all = static_cast<double>(share.of);
        const double p = share.value();
        return p <= 0 || p >= 1 ? 0 : part * std::log(p) + (all - part) * std::log(1 - p);
    };
    Share inside;
    double best = likelihood(rest) + 1e-9;
    std::size_t cut = 0;
    Share best_rest;
    for (std::size_t i = 0; i < std::min(most, groups.size() - 1); ++i) {
        inside.part += groups[i].share.part;
        inside.of += groups[i].share.of;
        rest.part -= groups[i].share.part;
        rest.of -= groups[i].share.of;
        if (const double now = likelihood(inside) + likelihood(rest); now > best) {
            best = now;
            cut = i + 1;
            best_rest = rest;
        }
    }
    Share lines;
    for (std::size_t i = cut; i < groups.size(); ++i) {
        lines.part += groups[i].lines.part;
        lines.of += groups[i].lines.of;
    }
    // The cut was chosen by looking, so each of them must stand out by itself.
    Subset found{.of = groups.size(), .outside = best_rest, .chance = 0};
    double steady = 0;
    for (std::size_t i = 0; i < cut; ++i) {
        const Counted& group = groups[i];
        const double chance = by_chance(group.lines, lines) * static_cast<double>(groups.size());
        // One bad moment is no state.
        const bool blip = group.steady < 0.2 * group.share.value();
        if (chance > sure || blip) {
            found.outside.part += group.share.part;
            found.outside.of += group.share.of;
            continue;
        }
        found.names.push_back(group.name);
        found.chance = std::max(found.chance, chance);
        found.inside.part += group.share.part;
        found.inside.of += group.share.of;
        steady += group.steady * static_cast<double>(group.share.of);
    }
    if (found.names.empty()) return none;
    found.steady = steady / static_cast<double>(found.inside.of);
    return found;
}

Facts facts_of(const Tally& tally, const Wishes& wishes) {
    Facts facts{.wishes = wishes, .calls = tally.calls};
    facts.failed = {tally.failed, tally.calls};
    facts.affected = {tally.affected, tally.calls};
    facts.steady = tally.timeline.affected_without_blips();
    for (int i = 0; i < cause_count; ++i)
        if (is_repeatable(static_cast<Cause>(i)))
            facts.troubled += tally.causes[static_cast<std::size_t>(i)];
    for (std::size_t i = 0; i < tally.causes.size(); ++i)
        facts.mix[i] = static_cast<double>(tally.causes[i]) /
                       static_cast<double>(std::max<std::uint64_t>(facts.troubled, 1));
    facts.p99 = p99_of(tally.elapsed);
    for (std::size_t i = 0; i < part_count; ++i) facts.p99_without[i] = p99_of(tally.without[i]);
    facts.instances = sick_instances(tally);
    facts.slow_instances = slow_instances(tally);
    facts.places = sick_places(tally);
    facts.instances_affected = affected_instances(tally, facts);
    facts.starving = starving_of(tally);
    facts.slow_by_dns = {tally.slow_by_dns, tally.calls};
    facts.cut = cut_of(tally);
    const auto p90 = tally.elapsed.quantile(0.9).value_or(Duration{}).count();
    facts.rhythm = rhythm_of(tally.timeline, 3 * static_cast<std::uint64_t>(p90));
    facts.storm = storm_of(tally.timeline);
    facts.hot = hot_of(tally);
    facts.oversized = oversized_of(tally);
    if (tally.calls > 0)
        facts.amplification =
            static_cast<double>(tally.attempts) / static_cast<double>(tally.calls);
    facts.useful = {tally.retried - tally.retried_in_vain, tally.retried};
    return facts;
}

}  // namespace tool::doctor
