// SPDX-License-Identifier: Apache-2.0
#include "doctor_stage_stories.hpp"

#include <algorithm>
#include <cmath>

namespace stage {
namespace {

using namespace std::chrono_literals;
using perdure::BudgetKind;

Dependency& target_of(Script& script) {
    return script.dependencies[static_cast<std::size_t>(script.target)];
}

// Median of the slowest service, in seconds: a delay that is small beside it worries nobody.
double slowest(const Script& script) {
    double most = 0;
    for (const Dependency& each : script.dependencies) most = std::max(most, seconds(each.median));
    return most;
}

int count_of(const Script& script) { return static_cast<int>(script.instances.size()); }

std::string short_text(Duration duration) {
    return std::to_string(static_cast<long long>(seconds(duration) * 1000)) + "ms";
}

// A fifth of the journals begin when the trouble is already there.
Window draw_window(Dice& dice, const Script& script) {
    if (dice.chance(0.2)) return {};
    const Duration from = of_seconds(dice.even(0.1, 0.6) * seconds(script.lasts));
    if (dice.chance(0.5)) return {from, perdure::never};
    return {from, from + of_seconds(dice.even(0.3, 0.9) * seconds(script.lasts - from))};
}

Duration moment(Dice& dice, const Script& script) {
    return of_seconds(dice.even(0.1, 0.9) * seconds(script.lasts));
}

void deploy(Dice& dice, Script& script) {
    const Duration takes = dice.even(1s, 4s);
    const bool renamed = dice.chance(0.5);
    Duration at = of_seconds(dice.even(0.1, 0.5) * seconds(script.lasts));
    for (int i = 0; i < count_of(script) && count_of(script) > 1; ++i, at += takes)
        script.restarts.push_back({i, at, takes, renamed});
}

void pause_everybody(Dice& dice, Script& script) {
    const Duration at = moment(dice, script);
    const bool together = dice.chance(0.5);
    for (int i = 0; i < count_of(script); ++i) {
        const Duration from = together ? at : moment(dice, script);
        script.noise_faults.push_back(
            {.kind = Kind::paused, .when = {from, from + dice.even(200ms, 1500ms)}, .instance = i});
    }
}

// One of the things that look worse than they are.
void add_one(Dice& dice, Script& script) {
    Dependency& target = target_of(script);
    const int who = dice.below(count_of(script));
    Instance& instance = script.instances[static_cast<std::size_t>(who)];
    const Duration at = moment(dice, script);
    switch (dice.below(11)) {
        case 0:
            script.noise_faults.push_back({.kind = Kind::slow_server,
                                           .when = {at, at + dice.even(500ms, 1500ms)},
                                           .dependency = script.target,
                                           .factor = dice.even(3, 10)});
            break;
        case 1: deploy(dice, script); break;
        case 2: script.noise.failing = 0.005; break;
        case 3: instance.weight *= dice.even(0.05, 0.2); break;
        case 4: instance.weight *= 2; break;
        case 5: pause_everybody(dice, script); break;
        case 6: target.skew = dice.even(0.7, 1); break;
        case 7:
            for (Instance& each : script.instances) each.utilization = dice.even(0.75, 0.88);
            break;
        case 8: script.surges.push_back({{at, at + dice.even(5s, 20s)}, dice.even(1.5, 3)}); break;
        case 9:  // tight, but not too tight: a handful of calls in ten thousand
            target.plan.attempt_timeout =
                of_seconds(1.6 * seconds(target.median) * std::exp(3.5 * target.sigma)) + 200ms;
            break;
        default:
            if (count_of(script) > 1)
                script.restarts.push_back({who, at, dice.even(2s, 10s), dice.chance(0.5)});
    }
}

void sick_instance(Dice& dice, Script& script) {
    Fault fault{.when = draw_window(dice, script), .instance = dice.below(count_of(script))};
    script.instances[static_cast<std::size_t>(fault.instance)].weight = dice.even(0.8, 1.2);
    switch (dice.below(3)) {
        case 0: fault.kind = Kind::loss, fault.share = dice.even(0.1, 0.4); break;
        case 1:
            fault.kind = Kind::slow_disk;
            fault.share = dice.even(0.3, 1);
            fault.median = of_seconds(std::max(dice.log_even(0.1, 1), 3 * slowest(script)));
            break;
        default:
            fault.kind = Kind::descriptors;
            fault.share = dice.even(0.6, 1);
            for (Dependency& each : script.dependencies) each.uses = dice.between(5, 40);
    }
    script.faults.push_back(fault);
    script.remark = "instance " + script.instances[static_cast<std::size_t>(fault.instance)].name;
}

void regional_outage(Dice& dice, Script& script) {
    Dependency& target = target_of(script);
    const int places = dice.between(2, 3);
    const std::string name = target.plan.name;
    target.endpoints.resize(1);
    for (int i = 1; i < places; ++i)
        target.endpoints.push_back({name + (i == 1 ? ".us-east" : ".ap-south") + ".example:443",
                                    dice.log_even(5ms, 60ms)});
    if (target.homes == Homes::by_instance && count_of(script) < 2 * places)
        target.homes = Homes::by_call;
    if (target.homes == Homes::first) target.moves_on = true;  // or nobody would see the others
    Fault fault{.when = draw_window(dice, script), .dependency = script.target};
    fault.endpoint = target.homes == Homes::first ? 0 : dice.below(places);
    switch (dice.below(3)) {
        case 0: fault.kind = Kind::refused; break;
        case 1: fault.kind = Kind::silent; break;
        default: fault.kind = Kind::erroring, fault.share = dice.even(0.6, 1);
    }
    script.faults.push_back(fault);
    script.remark = "address " + target.endpoints[static_cast<std::size_t>(fault.endpoint)].address;
}

void hot_key(Dice& dice, Script& script) {
    Dependency& target = target_of(script);
    target.names_subjects = true;
    target.skew = dice.even(0, 0.3);
    target.subjects = std::max(target.subjects, 500);
    Fault fault{.kind = Kind::hot,
                .when = draw_window(dice, script),
                .dependency = script.target,
                .share = dice.even(0.15, 0.7)};
    const double usual = script.calls / seconds(script.lasts) * target.share;
    target.partition_rate = usual * std::max(0.05, fault.share / dice.even(1.4, 4));
    script.faults.push_back(fault);
    script.remark = "share " + std::to_string(fault.share);
}

void client_cpu(Dice& dice, Script& script) {
    const Window when = draw_window(dice, script);
    const double struck = dice.even(0.7, 1);
    const Duration median =
        of_seconds(std::max(dice.log_even(0.02, 0.3), seconds(target_of(script).median) / 2));
    const double work = dice.chance(0.5) ? 1 : dice.even(5, 20);
    const int starved = static_cast<int>(std::ceil(struck * count_of(script)));
    const int first = dice.below(count_of(script));
    for (int i = 0; i < starved; ++i) {
        script.faults.push_back({.kind = Kind::starved,
                                 .when = when,
                                 .instance = (first + i) % count_of(script),
                                 .factor = work,
                                 .median = of_seconds(seconds(median) * dice.even(0.7, 1.4)),
                                 .sigma = dice.even(0.7, 1.2)});
    }
    script.remark = "late by " + short_text(median);
}

void slow_dns(Dice& dice, Script& script) {
    Fault fault{.kind = Kind::slow_dns,
                .when = draw_window(dice, script),
                .dependency = dice.chance(0.7) ? every : script.target,
                .share = dice.even(0.4, 1),
                .median = of_seconds(std::max(dice.log_even(0.25, 4), 3 * slowest(script))),
                .sigma = dice.even(0.3, 0.8)};
    for (Dependency& each : script.dependencies) {
        each.uses = static_cast<int>(dice.log_even(5, 60));
        each.names_last = dice.chance(0.6) ? Duration{} : dice.even(100ms, 3s);
    }
    script.faults.push_back(fault);
    script.remark = "names take " + short_text(fault.median);
}

void short_timeout(Dice& dice, Script& script) {
    Dependency& target = target_of(script);
    target.sigma = dice.even(0.4, 1);
    const double calls = script.calls * target.share;
    const double cut = std::max({dice.log_even(0.02, 0.15), 40 / calls});
    std::vector<double> latencies;
    for (int i = 0; i < 4000; ++i) {
        const auto which =
            static_cast<std::size_t>(dice.below(static_cast<int>(target.operations.size())));
        const Duration work = dice.around(target.median, target.sigma);
        latencies.push_back(seconds(work) * target.operations[which].heavier +
                            seconds(target.endpoints[0].round_trip));
    }
    std::ranges::sort(latencies);
    target.plan.attempt_timeout =
        of_seconds(latencies[static_cast<std::size_t>(4000 * (1 - std::min(cut, 0.3)))]);
    target.plan.set_up = dice.even(1s, 3s);
    target.homes = Homes::first;
    for (Endpoint& each : target.endpoints)  // or every attempt elsewhere would come too late
        each.round_trip = std::min(each.round_trip, target.endpoints[0].round_trip);
    script.faults.push_back({.kind = Kind::tight_timeout, .dependency = script.target});
    script.remark =
        "cuts " + std::to_string(cut) + " at " + short_text(target.plan.attempt_timeout);
}

void retry_storm(Dice& dice, Script& script) {
    Dependency& target = target_of(script);
    if (dice.chance(0.7)) target.endpoints.resize(1);
    target.homes = target.endpoints.size() == 1 ? Homes::first : Homes::by_call;
    target.plan.rule.attempts = dice.between(3, 6);
    target.plan.rule.backoff = {.base = dice.log_even(10ms, 50ms), .cap = dice.log_even(200ms, 1s)};
    target.plan.budget = dice.chance(0.6)
                             ? perdure::BudgetOptions{.kind = BudgetKind::none}
                             : perdure::BudgetOptions{.kind = BudgetKind::requests, .deposit = 3};
    for (OperationKind& each : target.operations) each.safety = perdure::Safety::idempotent;
    script.swing = std::min(script.swing, 0.2);
    const Window when = draw_window(dice, script);
    const double load = dice.even(0.5, 0.8);
    // Either the service can do less or more is asked of it.
    const double excess = dice.even(1.3, 3);
    const bool surge = when.from > Duration{} && dice.chance(0.4);
    if (surge) script.surges.push_back({when, excess / load});
    double most = 0;  // on a usual day
    for (int i = 0; i < 100; ++i)
        if (const Duration at = script.lasts * i / 100; !surge || !when.holds(at))
            most = std::max(most, rate_at(script, at) * target.share);
    target.capacity = most / load / static_cast<double>(target.endpoints.size());
    // Who is served so many times a second is not given up after less than a few turns.
    target.plan.attempt_timeout =
        std::max(target.plan.attempt_timeout, of_seconds(5 / target.capacity));
    target.plan.deadline = std::max<Duration>(
        target.plan.deadline, target.plan.attempt_timeout * (target.plan.rule.attempts + 1));
    // With no day before it and no answer at all nobody could tell a storm from a dead service.
    const bool answers = when.from == Duration{};
    if (answers || dice.chance(0.5))
        target.longest_queue = of_seconds(seconds(target.plan.attempt_timeout) *
                                          (answers ? dice.even(0.2, 0.7) : dice.even(0.5, 2)));
    script.faults.push_back({.kind = Kind::short_of_hands,
                             .when = when,
                             .dependency = script.target,
                             .factor = surge ? 1 : load / excess});
    script.remark = (surge ? "more is asked: " : "less can be done: ") + std::to_string(excess);
}

}  // namespace

void add_everyday_trouble(Dice& dice, Script& script) {
    const int things = script.story == Story::healthy ? dice.between(1, 4) : dice.between(0, 1);
    for (int i = 0; i < things; ++i) add_one(dice, script);
}

void tell(Dice& dice, Script& script) {
    switch (script.story) {
        case Story::healthy: return;
        case Story::sick_instance: return sick_instance(dice, script);
        case Story::regional_outage: return regional_outage(dice, script);
        case Story::hot_key: return hot_key(dice, script);
        case Story::client_cpu: return client_cpu(dice, script);
        case Story::slow_dns: return slow_dns(dice, script);
        case Story::short_timeout: return short_timeout(dice, script);
        case Story::retry_storm: return retry_storm(dice, script);
    }
}

}  // namespace stage
