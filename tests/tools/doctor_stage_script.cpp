// SPDX-License-Identifier: Apache-2.0
//
// The world before anything goes wrong, and the noise it makes on every day.
#include "doctor_stage_script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "doctor_stage_dice.hpp"
#include "doctor_stage_stories.hpp"

namespace stage {
namespace {

using namespace std::chrono_literals;
using perdure::Plan;
using perdure::Safety;

constexpr std::array<std::string_view, story_count> story_names{
    "healthy",    "sick-instance", "regional-outage", "hot-key",
    "client-cpu", "slow-dns",      "short-timeout",   "retry-storm"};
constexpr std::array services{"orders", "users", "payments", "search", "ledger", "stock", "mail"};
constexpr std::array verbs{"get", "list", "put", "update", "append"};
constexpr std::array regions{"eu-west", "eu-north", "us-east", "ap-south"};

std::string hex(std::uint64_t bits, int digits) {
    std::string text;
    for (int i = 0; i < digits; ++i) text += "0123456789abcdef"[(bits >> (4 * i)) & 15U];
    return text;
}

double shape_at(const Script& script, Duration at) {
    const double day = 2 * std::numbers::pi * seconds(at) / seconds(script.lasts);
    double shape = 1 + script.swing * std::sin(day + script.daily_phase);
    for (const Surge& surge : script.surges)
        if (surge.when.holds(at)) shape *= surge.factor;
    return shape;
}

// Long enough for what is slow without being sick: timeouts as careful people choose them.
Plan healthy_plan(Dice& dice, const Dependency& dependency, const std::string& name) {
    const double p999 = seconds(dependency.median) * std::exp(3.1 * dependency.sigma) * 2;
    const Duration set_up = dice.chance(0.5) ? Duration{} : dice.even(1s, 3s);
    double beside = set_up > Duration{} ? 0 : 0.3;
    for (const Endpoint& each : dependency.endpoints)
        beside = std::max(beside, 3 * seconds(each.round_trip));
    Plan plan{.name = name, .set_up = set_up};
    plan.attempt_timeout = of_seconds(std::max(0.05, (p999 + beside) * dice.log_even(1.5, 5)));
    plan.deadline =
        std::max<Duration>(dice.log_even(1s, 20s), 4 * plan.attempt_timeout + plan.set_up);
    plan.rule.attempts = dice.between(3, 5);
    plan.rule.backoff = {.base = dice.log_even(10ms, 200ms), .cap = dice.log_even(1s, 5s)};
    if (dice.chance(0.2)) plan.budget = {.kind = perdure::BudgetKind::fixed, .capacity = 50};
    return plan;
}

Dependency draw_dependency(Dice& dice, const std::string& name) {
    Dependency made;
    made.median = dice.log_even(1ms, 250ms);
    made.sigma = dice.even(0.3, 0.8);
    const int kinds = dice.between(1, 3);
    for (int i = 0; i < kinds; ++i) {
        const bool once = i > 0 && dice.chance(0.2);
        made.operations.push_back({std::string{verbs[static_cast<std::size_t>(i)]} + "-" + name,
                                   once ? Safety::once : Safety::idempotent,
                                   dice.log_even(0.6, 1.6)});
    }
    const int places = dice.chance(0.5) ? 1 : dice.between(2, 3);
    for (int i = 0; i < places; ++i)
        made.endpoints.push_back(
            {name + "." + regions[static_cast<std::size_t>(i)] + ".example:443",
             i == 0 ? dice.log_even(300us, 5ms) : dice.log_even(5ms, 60ms)});
    made.homes =
        dice.chance(0.6) ? Homes::first : (dice.chance(0.5) ? Homes::by_instance : Homes::by_call);
    made.moves_on = dice.chance(0.85);
    made.mark_for = dice.chance(0.5) ? Duration{} : dice.even(3s, 20s);
    made.idle_for = dice.log_even(5s, 90s);
    made.uses = static_cast<int>(dice.log_even(50, 5000));
    made.names_last = dice.chance(0.3) ? Duration{} : dice.log_even(5s, 120s);
    made.names_subjects = dice.chance(0.85);
    made.counts_units = dice.chance(0.4);
    made.subjects = static_cast<int>(dice.log_even(100, 5000));
    made.skew = dice.even(0, 0.6);
    made.partitions = 64 << dice.below(3);
    made.plan = healthy_plan(dice, made, name);
    return made;
}

void draw_instances(Dice& dice, Script& script, int count) {
    const double busy = dice.even(0.05, 0.6);
    const int prefix = dice.below(1000);
    for (int i = 0; i < count; ++i)
        script.instances.push_back({"web-" + std::to_string(prefix) + "-" + hex(dice.bits(), 5),
                                    dice.even(0.8, 1.2), busy * dice.even(0.7, 1.3),
                                    dice.even(0s, 100ms) - 50ms});
}

void draw_dependencies(Dice& dice, Script& script) {
    const int count = dice.between(1, 4);
    const int first = dice.below(static_cast<int>(services.size()));
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        const auto which = static_cast<std::size_t>(first + i) % services.size();
        script.dependencies.push_back(draw_dependency(dice, services[which]));
        sum += script.dependencies.back().share = dice.even(0.3, 1);
    }
    for (Dependency& each : script.dependencies) each.share /= sum;
    const auto most = std::ranges::max_element(script.dependencies, {}, &Dependency::share);
    script.target = static_cast<int>(most - script.dependencies.begin());
}

}  // namespace

std::string_view to_string(Story story) { return story_names[static_cast<std::size_t>(story)]; }

std::optional<Story> story_named(std::string_view name) {
    const auto found = std::ranges::find(story_names, name);
    if (found == story_names.end()) return {};
    return static_cast<Story>(found - story_names.begin());
}

double rate_at(const Script& script, Duration at) {
    constexpr int steps = 400;
    double sum = 0;
    for (int i = 0; i < steps; ++i)
        sum += shape_at(script, script.lasts * (2 * i + 1) / (2 * steps));
    return script.calls / seconds(script.lasts) * shape_at(script, at) / (sum / steps);
}

Script write_script(Story story, std::uint64_t seed, const Size& size) {
    Dice dice{seed};
    Script script{.seed = seed, .story = story};
    script.calls = static_cast<int>(dice.log_even(size.least, size.most));
    const int least = story == Story::sick_instance ? 3 : 1;
    const int most = std::clamp(script.calls / 40, least, 40);
    const int count = static_cast<int>(dice.log_even(least, most + 0.99));
    const double longest = std::clamp(std::min(script.calls / 5.0, 12'000.0 / count), 61.0, 1200.0);
    script.lasts = of_seconds(dice.log_even(60, longest));
    script.swing = dice.even(0, 0.5);
    script.daily_phase = dice.even(0, 2 * std::numbers::pi);
    script.noise = {dice.even(0, 0.005), dice.even(0, 0.003), dice.even(0, 0.002)};
    if (script.calls > 10'000 && dice.chance(0.3)) script.sampling = dice.between(5, 20);
    draw_instances(dice, script, count);
    draw_dependencies(dice, script);
    add_everyday_trouble(dice, script);
    tell(dice, script);
    return script;
}

}  // namespace stage
