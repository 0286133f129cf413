// SPDX-License-Identifier: Apache-2.0
#include "doctor_stage_world.hpp"

#include <algorithm>
#include <utility>

#include "doctor_stage_lines.hpp"

namespace stage {

using namespace std::chrono_literals;
using perdure::Memory;
using perdure::Progress;
using perdure::Step;
using perdure::StepKind;

World::World(const Script& script, Lines& lines)
    : script_{script},
      lines_{lines},
      dice_{script.seed ^ 0x9e3779b97f4a7c15U},
      processes_(script.instances.size()) {
    const auto keep = [&](const std::vector<Fault>& faults, bool of_story) {
        for (Fault fault : faults) {
            fault.of_story = of_story;
            faults_[static_cast<std::size_t>(fault.kind)].push_back(fault);
        }
    };
    keep(script.faults, true);
    keep(script.noise_faults, false);
    for (const Dependency& each : script.dependencies) {
        services_.emplace_back(each.endpoints.size());
        buckets_.emplace_back(static_cast<std::size_t>(each.partitions));
        std::vector<double>& sums = subjects_.emplace_back();
        double sum = 0;
        for (int i = 1; i <= each.subjects; ++i) sums.push_back(sum += std::pow(i, -each.skew));
    }
}

World::~World() { calls_.clear(); }

// ── the clockwork

void World::at(Duration when, std::function<void()> what) {
    agenda_.push_back({std::max(when, now_), order_++, std::move(what)});
    std::ranges::push_heap(agenda_, std::greater{},
                           [](const Event& e) { return std::pair{e.at, e.order}; });
}

Tally World::play() {
    for (int i = 0; i < static_cast<int>(script_.instances.size()); ++i) start(i);
    for (const Restart& each : script_.restarts) at(each.at, [this, each] { restart(each); });
    draw_arrivals();
    while (!agenda_.empty()) {
        std::ranges::pop_heap(agenda_, std::greater{},
                              [](const Event& e) { return std::pair{e.at, e.order}; });
        const Event event = std::move(agenda_.back());
        agenda_.pop_back();
        now_ = event.at;
        event.what();
    }
    return tally_;
}

void World::start(int instance) {
    Process& process = processes_[static_cast<std::size_t>(instance)];
    process.up = true;
    process.told = now_;
    for (const Dependency& each : script_.dependencies) {
        process.memories.push_back(std::make_unique<Memory>(each.plan, perdure::Keeps::counts));
        process.doors.emplace_back(each.endpoints.size());
    }
    lines_.started(name_of(instance), wall(instance, now_));
    tick(instance, process.lives, now_ + of_seconds(dice_.even()));
}

void World::stop(int instance) {
    Process& process = processes_[static_cast<std::size_t>(instance)];
    std::erase_if(calls_, [&](const auto& entry) { return entry.second->instance == instance; });
    process.up = false;
    process.calls = process.failed = 0;
    process.memories.clear();
    process.doors.clear();
}

void World::restart(const Restart& restart) {
    Process& process = processes_[static_cast<std::size_t>(restart.instance)];
    if (!process.up) return;
    stop(restart.instance);
    ++process.lives;
    if (restart.renamed) ++process.names;
    at(now_ + restart.takes, [this, restart] { start(restart.instance); });
}

// The journal's own timer: it is as late as everything else in the process.
void World::tick(int instance, int life, Duration due) {
    if (due > script_.lasts) return;
    at(seen(instance, due), [this, instance, life, due] {
        Process& process = processes_[static_cast<std::size_t>(instance)];
        if (!process.up || process.lives != life) return;
        const auto now_step =
            static_cast<std::size_t>(std::min(0.9999, seconds(now_) / seconds(script_.lasts)) *
                                     static_cast<double>(rates_.size()));
        const double load = rates_[now_step] * seconds(script_.lasts) / script_.calls;
        const double usual =
            script_.instances[static_cast<std::size_t>(instance)].utilization * (0.6 + 0.4 * load);
        const bool starved = fault(Kind::starved, instance, every, every) != nullptr;
        lines_.process(name_of(instance),
                       {.at = wall(instance, now_),
                        .interval = now_ - process.told,
                        .cpu_utilization = starved ? dice_.even(0.93, 1)
                                                   : std::min(0.9, usual * dice_.even(0.8, 1.2)),
                        .tick_late = now_ - due + dice_.around(120us, 0.8),
                        .calls = std::exchange(process.calls, 0),
                        .failed = std::exchange(process.failed, 0)});
        process.told = now_;
        tick(instance, life, std::max(due, now_ - 1s) + 1s);
    });
}

const Fault* World::fault(Kind kind, int instance, int dependency, int endpoint) const {
    const auto fits = [](int wanted, int given) { return wanted == every || wanted == given; };
    for (const Fault& each : faults_[static_cast<std::size_t>(kind)])
        if (each.when.holds(now_) && fits(each.instance, instance) &&
            fits(each.dependency, dependency) && fits(each.endpoint, endpoint))
            return &each;
    return nullptr;
}

bool World::strikes(const Fault* fault, Trial* trial) {
    if (!fault || !dice_.chance(fault->share)) return false;
    if (trial && fault->of_story) trial->touched = true;
    return true;
}

Duration World::end_of_pause(int instance) const {
    const Fault* pause = fault(Kind::paused, instance, every, every);
    return pause ? pause->when.to : now_;
}

std::string World::name_of(int instance) const {
    const auto index = static_cast<std::size_t>(instance);
    const int names = processes_[index].names;
    return script_.instances[index].name + (names ? "-" + std::to_string(names) : "");
}

perdure::WallTime World::wall(int instance, Duration at) const {
    const auto day = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
    const Duration hour{static_cast<Duration::rep>(script_.seed % 86'400'000) * 1'000'000};
    return day + hour + at + script_.instances[static_cast<std::size_t>(instance)].clock_off;
}

// When the process notices what happened at `when`.
Duration World::seen(int instance, Duration when) {
    if (const Fault* starved = fault(Kind::starved, instance, every, every))
        when += dice_.around(starved->median, starved->sigma);
    for (const Fault& each : faults_[static_cast<std::size_t>(Kind::paused)])
        if (each.instance == instance && each.when.holds(when)) when = each.when.to;
    return when;
}

// ── calls

void World::draw_arrivals() {
    constexpr int steps = 2000;
    for (int i = 0; i < steps; ++i) rates_.push_back(rate_at(script_, script_.lasts * i / steps));
    const double highest = *std::ranges::max_element(rates_);
    for (int arrived = 0; arrived < script_.calls;) {
        const double place = dice_.even();
        if (dice_.even(0, highest) >= rates_[static_cast<std::size_t>(place * steps)]) continue;
        at(of_seconds(place * seconds(script_.lasts)), [this] { begin(pick_instance()); });
        ++arrived;
    }
}

int World::pick_instance() {
    double sum = 0;
    for (std::size_t i = 0; i < processes_.size(); ++i)
        sum += processes_[i].up ? script_.instances[i].weight : 0;
    double left = dice_.even(0, sum);
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        if (!processes_[i].up) continue;
        left -= script_.instances[i].weight;
        if (left < 0) return static_cast<int>(i);
    }
    return every;
}

int World::pick_dependency() {
    double left = dice_.even();
    int picked = 0;
    while (picked + 1 < static_cast<int>(script_.dependencies.size()) &&
           (left -= dependency(picked).share) >= 0)
        ++picked;
    return picked;
}

int World::pick_subject(int dependency) {
    const Fault* hot = fault(Kind::hot, every, dependency, every);
    if (hot && dice_.chance(hot->share)) return 0;
    const auto& sums = subjects_[static_cast<std::size_t>(dependency)];
    const auto found = std::ranges::upper_bound(sums, dice_.even(0, sums.back()));
    return static_cast<int>(std::min(found, sums.end() - 1) - sums.begin());
}

void World::begin(int instance) {
    if (instance == every) return;
    const Duration then = end_of_pause(instance);
    if (then > now_) return at(then, [this, instance] { begin(instance); });
    Process& process = processes_[static_cast<std::size_t>(instance)];
    if (!process.up) return;
    auto made = std::make_unique<Call>();
    Call& call = *made;
    call.id = ++calls_begun_;
    call.instance = instance;
    call.dependency = pick_dependency();
    const Dependency& whom = dependency(call.dependency);
    call.kind = dice_.below(static_cast<int>(whom.operations.size()));
    call.subject = pick_subject(call.dependency);
    call.began = now_;
    const int places = static_cast<int>(whom.endpoints.size());
    call.home = whom.homes == Homes::first         ? 0
                : whom.homes == Homes::by_instance ? instance % places
                                                   : dice_.below(places);
    const OperationKind& kind = whom.operations[static_cast<std::size_t>(call.kind)];
    call.operation = {.name = kind.name, .safety = kind.safety, .diagnostics = &call.diagnostics};
    call.random = std::make_unique<perdure::SeededRandom>(dice_.bits());
    call.progress = std::make_unique<Progress>(
        *process.memories[static_cast<std::size_t>(call.dependency)], call.operation,
        perdure::Setting{.now = point(now_),
                         .random = call.random.get(),
                         .driving = perdure::Driving::concurrent});
    call.diagnostics.note_began(wall(instance, now_));
    describe(call);
    const Fault* starved = fault(Kind::starved, instance, every, every);
    call.touched = starved && starved->of_story;
    for (const Fault& each : script_.faults) {
        const bool here = (each.instance == every || each.instance == instance) &&
                          (each.dependency == every || each.dependency == call.dependency);
        call.there |= here;
        call.within |= here && each.when.holds(now_);
    }
    calls_.emplace(call.id, std::move(made));
    pump(call);
}

void World::describe(Call& call) {
    const Dependency& whom = dependency(call.dependency);
    const std::string subject = "item-" + std::to_string(call.subject);
    call.diagnostics.describe(
        {.subject = whom.names_subjects ? std::string_view{subject} : std::string_view{},
         .bytes = static_cast<std::int64_t>(700 * seconds(dice_.around(1s, 0.7))),
         .charge = whom.counts_units ? 1 + seconds(dice_.around(2s, 0.5)) : 0});
}

void World::arm(Call& call, Duration until) {
    if (call.armed == until) return;
    call.armed = until;
    at(seen(call.instance, until), [this, id = call.id, until] { wake(id, until); });
}

void World::wake(std::uint64_t id, Duration due) {
    const auto found = calls_.find(id);
    if (found == calls_.end() || found->second->armed != due) return;
    Call& call = *found->second;
    call.armed = perdure::never;
    if (call.trial && call.trial->until <= now_) return time_out(call);
    pump(call);
}

void World::pump(Call& call) {
    for (;;) {
        const Step step = call.progress->next(point(now_));
        switch (step.kind) {
            case StepKind::attempt: attempt(call, step); break;
            case StepKind::cancel: leave(call); break;
            case StepKind::prepare: call.progress->prepared({}, point(now_)); break;
            case StepKind::ask:
                call.progress->landed(perdure::Verdict::unknown, {}, point(now_));
                break;
            case StepKind::finish: return finish(call);
            case StepKind::wait: return arm(call, step.until.time_since_epoch() - origin);
        }
    }
}

void World::finish(Call& call) {
    Process& process = processes_[static_cast<std::size_t>(call.instance)];
    const perdure::Diagnostics& diagnostics = call.diagnostics;
    const auto attempts = call.attempts;
    const Fault* starved = fault(Kind::starved, call.instance, every, every);
    const double heavier = starved ? starved->factor : 1;
    call.diagnostics.note_cpu(
        of_seconds(seconds(dice_.around(90us, 0.4)) * (0.5 + 0.5 * attempts) * heavier));
    const bool failed = !diagnostics.succeeded();
    ++process.calls;
    process.failed += failed;
    ++tally_.calls;
    tally_.failed += failed;
    tally_.attempts += attempts;
    tally_.there += call.there;
    tally_.reach += call.within;
    tally_.hits += call.touched;
    if (call.touched) tally_.tries += attempts;
    const bool plain = !failed && attempts == 1;
    const int weight = plain ? script_.sampling : 1;
    if (weight == 1 || ++process.plain % weight == 0)
        lines_.call(name_of(call.instance), diagnostics, weight);
    calls_.erase(call.id);
}

}  // namespace stage
