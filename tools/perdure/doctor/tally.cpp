// SPDX-License-Identifier: Apache-2.0
#include "doctor/tally.hpp"

#include <algorithm>
#include <bit>

namespace tool::doctor {

namespace {

constexpr std::int64_t millisecond = 1'000'000;

std::string place_name(const CallLine& call, const AttemptLine& attempt) {
    return std::string{call.dependency} + " " + std::string{attempt.address};
}

bool is_answer(Cause cause) { return cause >= Cause::conflict && cause != Cause::cancelled; }

std::uint64_t hash_of(std::uint64_t seed, std::string_view text) {
    std::uint64_t hash = seed ^ 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash ^ (hash >> 29U);
}

std::int64_t& of(Parts& parts, Part part) { return parts[static_cast<std::size_t>(part)]; }

std::int64_t waits_of(const CallLine& call) {
    std::int64_t sum = 0;
    for (const AttemptLine& attempt : call.attempts) sum += attempt.waited;
    return sum;
}

// Time that was nobody's: neither an attempt nor a wait. The process had other things to do, unless
// it asked a resolver or applied a remedy.
std::int64_t unaccounted(const CallLine& call) {
    std::int64_t rest = call.elapsed;
    for (const AttemptLine& attempt : call.attempts) {
        if (attempt.hedge || attempt.remedied) return 0;
        rest -= attempt.took + attempt.waited;
    }
    if (call.attempts.empty() || call.attempts_left_out > 0 || call.times_asked > 0) return 0;
    return std::max<std::int64_t>(rest, 0);
}

Parts parts_of(const CallLine& call) {
    Parts parts{};
    of(parts, Part::waiting) = waits_of(call);
    std::int64_t overslept = 0;
    for (const AttemptLine& attempt : call.attempts) {
        overslept += attempt.overslept;
        if (trouble_of(attempt, call)) of(parts, Part::retries) += attempt.took;
        of(parts, Part::pool) += attempt.in(Phase::pool);
        of(parts, Part::dns) += attempt.in(Phase::dns);
        of(parts, Part::connect) += attempt.in(Phase::connect) + attempt.in(Phase::tls);
        if (attempt.succeeded)
            of(parts, Part::server) +=
                attempt.phased ? attempt.in(Phase::first_byte) : attempt.took;
    }
    of(parts, Part::own) = std::max(overslept, unaccounted(call)) + call.cpu;
    for (std::int64_t& part : parts) part = std::clamp<std::int64_t>(part, 0, call.elapsed);
    return parts;
}

}  // namespace

std::string_view to_string(Part part) {
    constexpr std::array<std::string_view, part_count> names{"retries", "waiting", "pool", "dns",
                                                             "connect", "server",  "own"};
    return names[static_cast<std::size_t>(part)];
}

std::optional<Cause> trouble_of(const AttemptLine& attempt, const CallLine& call) {
    if (attempt.succeeded) return std::nullopt;
    if (attempt.cause) return is_repeatable(*attempt.cause) ? attempt.cause : std::nullopt;
    // The loser of a race is cut off too, and so is what a caller no longer wants.
    const bool race =
        std::ranges::any_of(call.attempts, [](const AttemptLine& one) { return one.hedge; });
    if (!attempt.cut_off || race || call.stop == Stop::cancelled) return std::nullopt;
    return Cause::timed_out;
}

bool starved(const ProcessLine& process) {
    return process.utilization.value_or(0) >= 0.9 || process.tick_late >= 50 * millisecond;
}

struct Tally::Seen {
    bool affected = false, failed = false, answered_no = false;
    bool retried = false;
    bool limited = false, refused = false, in_dns = false;
    std::uint64_t attempts = 0, hedges = 0;

    explicit Seen(const CallLine& call) {
        bool all_limited = !call.attempts.empty();
        std::optional<Cause> final_cause;
        for (const AttemptLine& attempt : call.attempts) {
            ++(attempt.hedge ? hedges : attempts);
            const auto cause = trouble_of(attempt, call);
            affected = affected || cause;
            const bool here = cause == Cause::throttled || cause == Cause::contended;
            limited = limited || here;
            all_limited = all_limited && (here || attempt.cause == Cause::too_large);
            in_dns = in_dns || (cause && attempt.phased && attempt.reached == Phase::dns);
            if (attempt.cause) final_cause = attempt.cause;
        }
        attempts = std::max(attempts + call.attempts_left_out,
                            call.attempts_made > hedges ? call.attempts_made - hedges : 0);
        retried = attempts > 1;
        refused = !call.succeeded && all_limited;
        answered_no = !call.succeeded && final_cause && is_answer(*final_cause);
        failed = !call.succeeded && !answered_no && call.stop != Stop::cancelled;
        affected = affected || failed;
    }
};

void Tally::add(const CallLine& call) {
    const Seen seen{call};
    ++lines;
    first = first == 0 ? call.began : std::min(first, call.began);
    last = std::max(last, call.began);
    count(call, seen);
    count_time(call);
    count_attempts(call, seen);
    count_subject(call, seen);
    if (seen.in_dns) slow_by_dns += call.weight;
}

void Tally::count(const CallLine& call, const Seen& seen) {
    const std::uint64_t weight = call.weight;
    const auto add_if = [weight](bool yes, std::uint64_t& to) { to += yes ? weight : 0; };
    calls += weight;
    add_if(seen.failed, failed);
    add_if(seen.answered_no, answered_no);
    add_if(!call.succeeded && call.stop == Stop::cancelled, cancelled);
    add_if(seen.affected, affected);
    add_if(seen.retried, retried);
    add_if(seen.retried && seen.failed, retried_in_vain);
    attempts += seen.attempts * weight;
    hedges += seen.hedges * weight;
    add_if(call.stop == Stop::budget, stopped_by_budget);
    add_if(call.budget_left.has_value(), budget_known);
    add_if(call.budget_left.value_or(1) < 1, budget_empty);
    Instance& instance = instances[call.instance];
    const std::string whole = std::string{call.dependency} + " " + std::string{call.operation};
    for (Group* group : {static_cast<Group*>(&instance), &dependencies[call.dependency],
                         static_cast<Group*>(&works[whole])}) {
        group->calls += weight;
        group->lines.part += seen.affected ? 1 : 0;
        ++group->lines.of;
        add_if(seen.failed, group->failed);
        add_if(seen.affected, group->affected);
        group->elapsed.add(static_cast<std::uint64_t>(call.elapsed), weight);
    }
    const std::string route =
        whole + " " + std::string{call.attempts.empty() ? "" : call.attempts.back().address};
    instance.routes[route].add(static_cast<std::uint64_t>(call.elapsed), weight);
    for (Timeline* line : {&timeline, &instance.timeline}) {
        Slot& slot = line->at(call.began);
        slot.calls += weight;
        ++slot.lines;
        add_if(seen.failed, slot.failed);
        add_if(seen.affected, slot.affected);
        slot.attempts += seen.attempts * weight;
        add_if(seen.retried, slot.retried);
        add_if(seen.retried && seen.failed, slot.retried_in_vain);
        slot.elapsed.add(static_cast<std::uint64_t>(call.elapsed), weight);
    }
}

void Tally::count_time(const CallLine& call) {
    const Parts parts = parts_of(call);
    elapsed.record(Duration{call.elapsed}, call.weight);
    elapsed_sum += static_cast<double>(call.elapsed) * static_cast<double>(call.weight);
    for (std::size_t i = 0; i < part_count; ++i) {
        without[i].record(Duration{call.elapsed - parts[i]}, call.weight);
        sums[i] += static_cast<double>(parts[i]) * static_cast<double>(call.weight);
    }
    // A look-up of a name takes some milliseconds; so does being late on a busy machine.
    const auto dominates = [&](Part part, std::int64_t floor, double share) {
        const std::int64_t took = parts[static_cast<std::size_t>(part)];
        return took >= floor &&
               static_cast<double>(took) >= share * static_cast<double>(call.elapsed);
    };
    const bool died_there = Seen{call}.in_dns;
    if (!died_there && dominates(Part::dns, 50 * millisecond, 0.4)) slow_by_dns += call.weight;
    if (dominates(Part::own, 20 * millisecond, 0.25)) slow_by_own += call.weight;
}

void Tally::count_attempts(const CallLine& call, const Seen& seen) {
    const std::string whole = std::string{call.dependency} + " " + std::string{call.operation};
    Work& work = works[whole];
    work.attempts += seen.attempts * call.weight;
    if (call.attempt_timeout > 0) work.attempt_timeout = call.attempt_timeout;
    for (const AttemptLine& attempt : call.attempts) {
        const auto cause = trouble_of(attempt, call);
        if (attempt.hedge && attempt.succeeded) hedges_won += call.weight;
        if (attempt.overran > 0) overran += call.weight;
        if (attempt.cause) causes[static_cast<std::size_t>(*attempt.cause)] += call.weight;
        else if (cause) causes[static_cast<std::size_t>(*cause)] += call.weight;
        if (!attempt.address.empty()) {
            Place& place = places[place_name(call, attempt)];
            place.dependency = call.dependency;
            place.lines.part += cause ? 1 : 0;
            ++place.lines.of;
            place.troubled.of += call.weight;
            place.troubled.part += cause ? call.weight : 0;
            Share& who = place.by_instance[call.instance];
            who.of += call.weight;
            who.part += cause ? call.weight : 0;
            Slot& slot = place.timeline.at(call.began);
            slot.calls += call.weight;
            slot.affected += cause ? call.weight : 0;
        }
        const auto spent =
            static_cast<double>(std::max<std::int64_t>(attempt.took - attempt.set_up(), 0));
        const auto level = static_cast<std::uint64_t>(
            call.attempt_timeout > 0
                ? std::min(spent / static_cast<double>(call.attempt_timeout), 1e3) * 1e9
                : spent);
        if (attempt.succeeded) work.good.add(level, call.weight);
        if (cause == Cause::timed_out) work.cut.add(level, call.weight);
        if (cause || attempt.cause)
            count_trouble(call, attempt, cause.value_or(attempt.cause.value_or(Cause::internal)),
                          seen);
    }
}

void Tally::count_trouble(const CallLine& call, const AttemptLine& attempt, Cause cause,
                          const Seen& seen) {
    std::string name{attempt.code};
    if (name.empty() && attempt.status != 0) name = std::to_string(attempt.status);
    if (name.empty()) name = attempt.cause ? to_string(cause) : "cut off";
    Code& code = codes[std::string{call.dependency} + " " + name];
    code.dependency = call.dependency;
    code.code = name;
    code.cause = cause;
    code.attempts += call.weight;
    const bool first_of_it =
        &attempt == &*std::ranges::find_if(call.attempts, [&](const AttemptLine& one) {
            return one.cause == attempt.cause && one.code == attempt.code &&
                   one.status == attempt.status && !one.succeeded;
        });
    if (first_of_it) code.calls += call.weight;
    if (first_of_it && !call.succeeded) code.calls_failed += call.weight;
    if (!is_repeatable(cause)) return;
    for (Timeline* line : {&timeline, &instances[call.instance].timeline}) {
        Slot& slot = line->at(call.began);
        slot.troubled += call.weight;
        slot.timed_out += cause == Cause::timed_out ? call.weight : 0;
        slot.overloaded += cause == Cause::overloaded ? call.weight : 0;
    }
    const std::uint64_t draw =
        hash_of(hash_of(static_cast<std::uint64_t>(call.began), attempt.request_id), call.instance);
    std::vector<Examples*> wanting;
    for (Examples* place :
         {&code.examples, &instances[call.instance].examples,
          attempt.address.empty() ? nullptr : &places[place_name(call, attempt)].examples,
          !seen.limited || call.subject.empty() ? nullptr : &subjects[call.subject].examples})
        if (place && place->wants(draw)) wanting.push_back(place);
    for (Examples* place : wanting)
        place->keep({.draw = draw,
                     .time = call.began,
                     .instance = std::string{call.instance},
                     .dependency = std::string{call.dependency},
                     .operation = std::string{call.operation},
                     .address = std::string{attempt.address},
                     .code = name,
                     .request_id = std::string{attempt.request_id.substr(0, 128)},
                     .cause = cause});
}

void Tally::count_subject(const CallLine& call, const Seen& seen) {
    const auto size_class = [&](std::uint64_t size, std::array<SizeClass, 65>& classes) {
        SizeClass& one = classes[static_cast<std::size_t>(std::bit_width(size))];
        one.calls += call.weight;
        one.refused += seen.refused ? call.weight : 0;
    };
    if (call.bytes) size_class(*call.bytes, by_bytes);
    if (call.units) size_class(*call.units, by_units);
    if (seen.limited) limited += call.weight;
    if (call.subject.empty()) return;
    with_subject += call.weight;
    lines_with_subject.part += seen.limited ? 1 : 0;
    ++lines_with_subject.of;
    if (seen.limited) limited_with_subject += call.weight;
    Subject& subject = subjects[call.subject];
    subject.lines.part += seen.limited ? 1 : 0;
    ++subject.lines.of;
    subject.calls += call.weight;
    subject.limited += seen.limited ? call.weight : 0;
}

void Tallies::add(const CallLine& call) {
    whole.add(call);
    auto found = by_dependency.find(call.dependency);
    if (found == by_dependency.end() && by_dependency.size() < most)
        found = by_dependency.try_emplace(std::string{call.dependency}).first;
    if (found != by_dependency.end()) found->second.add(call);
}

void Tally::add(const ProcessLine& process) {
    Instance& instance = instances[process.instance];
    const bool hungry = starved(process);
    ++instance.intervals;
    instance.starved += hungry ? 1 : 0;
    instance.late_ticks += process.tick_late >= 20 * millisecond ? 1 : 0;
    instance.highest_utilization =
        std::max(instance.highest_utilization, process.utilization.value_or(0));
    instance.latest_tick = std::max(instance.latest_tick, process.tick_late);
    // The line is written at the end of what it speaks about.
    Slot& slot =
        instance.timeline.at(std::max<std::int64_t>(process.time - process.interval / 2, 0));
    ++slot.intervals;
    slot.starved += hungry ? 1 : 0;
}

}  // namespace tool::doctor
