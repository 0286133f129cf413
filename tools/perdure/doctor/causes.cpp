// SPDX-License-Identifier: Apache-2.0
#include "doctor/causes.hpp"

#include <algorithm>
#include <array>

#include "doctor/words.hpp"

namespace tool::doctor {

namespace {

using List = std::vector<Evidence>;

Evidence at_all(const Facts& facts) {
    return {"there is trouble at all: " + percent(facts.failed.value()) + " failed, " +
                percent(facts.affected.value()) + " affected",
            facts.trouble() ? 1.0 : 0.0};
}

double smallest(std::initializer_list<double> values) { return std::min(values); }

List client_cpu(const Facts& facts) {
    const Starving& found = facts.starving;
    const double starved = found.calls.value();
    // Without time that was not starved there is nothing to compare with; then lateness or trouble must
    // be seen beside it, for a busy process whose calls are well is only busy.
    const double apart = found.hurt.value() - found.hurt_else.value();
    // Timers that come late most of the time prove it by themselves: then the rest of the time is no
    // clean one to compare with.
    const double proven =
        smallest({ramp(starved, 0.3, 0.5), ramp(at_least(found.late_ticks), 0.1, 0.3)});
    const double suffers =
        found.contrast
            ? smallest(
                  {std::max(ramp(lift(found.hurt, found.hurt_else), 1.5, 3), ramp(apart, 0.2, 0.4)),
                   ramp(found.hurt.value(), 0.03, 0.1)})
            : std::max({ramp(facts.gain(Part::own), 0.1, 0.4), facts.trouble() ? 1.0 : 0.0,
                        ramp(at_least(found.late), 0.01, 0.05),
                        ramp(at_least(found.late_ticks), 0.1, 0.3)});
    const double told = std::max(proven, smallest({ramp(starved, 0.01, 0.05), suffers}));
    const double felt =
        smallest({ramp(at_least(found.late), 0.01, 0.04), ramp(facts.gain(Part::own), 0.15, 0.4)});
    List list{{percent(starved) +
                   " of the calls ran while their process had no processor time left" +
                   (found.tick_late > 0
                        ? "; its timer came up to " + time_words(found.tick_late) + " late"
                        : std::string{}),
               std::max(ramp(starved, 0.01, 0.05), felt)}};
    list.push_back(
        {found.contrast && starved > 0
             ? "of these " + percent(found.hurt.value()) + " were slow or in trouble, else " +
                   percent(found.hurt_else.value())
             : percent(found.late.value()) + " of the calls were held up by their own process",
         std::max(told, felt)});
    // Most of what is slow or fails must happen there, or it is not the reason.
    if (found.contrast && starved > 0) {
        const Share where{found.hurt.part, found.hurt.part + found.hurt_else.part};
        const double expected = found.calls.value();
        list.push_back(
            {percent(where.value()) + " of all slow or troubled calls fall into that time",
             std::max({ramp(where.value(), 0.25, 0.5), ramp(where.value() - expected, 0.1, 0.3),
                       felt, proven})});
    }
    return list;
}

List slow_dns(const Facts& facts) {
    const double slow = at_least(facts.slow_by_dns);
    const double of_trouble =
        facts.affected.part == 0
            ? 0
            : static_cast<double>(std::min(facts.slow_by_dns.part, facts.affected.part)) /
                  static_cast<double>(facts.affected.part);
    return {
        {"looking up the name took most of the time, 50 ms and more, in " +
             percent(facts.slow_by_dns.value()) + " of the calls",
         ramp(slow, 0.002, 0.01)},
        {"without it p99 would be " + percent(std::max(facts.gain(Part::dns), 0.0)) + " shorter",
         std::max({ramp(facts.gain(Part::dns), 0.1, 0.3), ramp(slow, 0.01, 0.03),
                   facts.trouble() ? ramp(of_trouble, 0.3, 0.6) : 0})}};
}

List credentials(const Facts& facts) {
    const double refused = facts.of(Cause::credentials) + facts.of(Cause::forbidden);
    const double all = 1 + facts.of(Cause::forbidden);
    const Share calls{static_cast<std::uint64_t>(refused * static_cast<double>(facts.troubled)),
                      facts.calls};
    return {{percent(refused / all) + " of the refusals are about credentials or rights",
             facts.troubled + calls.part == 0 ? 0 : ramp(refused / all, 0.3, 0.6)},
            {percent(calls.value()) + " of the calls met one", ramp(at_least(calls), 0.003, 0.01)}};
}

List oversized_request(const Facts& facts) {
    const Oversized& found = facts.oversized;
    const Share of_all{found.large.part, found.large.part + found.small.part};
    return {{"of requests from " + number_words(found.from) + " " + found.measure + " on, " +
                 percent(found.large.value()) + " were refused to the end",
             ramp(at_least(found.large), 0.2, 0.5)},
            {"of the others (typically " + number_words(found.typical) + ") " +
                 percent(found.small.value()) + " were",
             ramp(lift(found.large, found.small), 3, 8)},
            {"they are " + percent(of_all.value()) + " of what was refused to the end",
             found.large.part < 5 ? 0 : ramp(of_all.value(), 0.3, 0.6)}};
}

List hot_key(const Facts& facts) {
    const Hot& hot = facts.hot;
    const double limited = facts.of(Cause::throttled) + facts.of(Cause::contended);
    return {{percent(hot.share) + " of the throttled or contended calls are about one id" +
                 (hot.subject.empty() ? "" : " (" + shown(hot.subject) + ")"),
             ramp(hot.share, 0.2, 0.45)},
            {"of calls about it " + percent(hot.inside.value()) + " were, of others " +
                 percent(hot.outside.value()),
             smallest({ramp(lift(hot.inside, hot.outside), 2, 4), ramp(hot.known, 0.3, 0.6),
                       ramp(at_least(hot.inside), 0.02, 0.06), hot.chance < 1e-4 ? 1.0 : 0.0})},
            {percent(limited) + " of the trouble is throttling or contention",
             ramp(limited, 0.3, 0.6)}};
}

// Either what is left is healthy, or most of the trouble is inside.
double explains(const Subset& found) {
    const Share trouble{found.inside.part, found.inside.part + found.outside.part};
    return std::max(ramp(trouble.value(), 0.6, 0.85),
                    at_least(found.outside) < 0.015 && !found.names.empty() ? 1.0 : 0.0);
}

List regional_outage(const Facts& facts) {
    const Subset& found = facts.places;
    const bool any = !found.names.empty();
    const double users = static_cast<double>(found.instances_affected) /
                         static_cast<double>(std::max<std::size_t>(found.instances, 1));
    const bool one_of_many = found.instances_affected < 2 && facts.instances.of > 1;
    return {{any ? list_words(found.names) + ": " + percent(found.inside.value()) +
                       " of the attempts failed, elsewhere " + percent(found.outside.value())
                 : "no address stands out",
             any ? smallest({ramp(found.inside.value(), 0.01, 0.03),
                             ramp(lift(found.inside, found.outside), 2, 5), explains(found)})
                 : 0},
            {"it is no single blip: " + percent(found.steady) + " without the worst moments",
             ramp(found.steady, 0.005, 0.015)},
            {std::to_string(found.instances_affected) + " of " + std::to_string(found.instances) +
                 " instances that use it are affected",
             one_of_many ? 0 : ramp(users, 0.3, 0.6)}};
}

List sick_instance(const Facts& facts) {
    const Subset& sick = facts.instances;
    const Subset& slow = facts.slow_instances;
    const double failing =
        sick.names.empty()
            ? 0
            : smallest({ramp(sick.inside.value(), 0.01, 0.03), ramp(sick.times, 2, 5),
                        ramp(sick.compared.value(), 0.2, 0.5), ramp(sick.steady, 0.005, 0.015),
                        explains(sick)});
    // Where everybody is in trouble, retries make calls slow, and one more than another.
    const bool general = facts.outside_sla() || at_least(facts.steady) > 0.015;
    const double slowing =
        slow.names.empty() || general
            ? 0
            : smallest({ramp(slow.inside.value(), 0.04, 0.12), ramp(slow.steady, 0.02, 0.06),
                        ramp(lift(slow.inside, slow.outside), 2, 5), ramp(slow.slowness, 2, 4)});
    List list{{sick.names.empty()
                   ? "no instance stands out by failures, of " + std::to_string(sick.of)
                   : list_words(sick.names) + ": " + percent(sick.inside.value()) +
                         " of the calls affected, on the others " + percent(sick.outside.value()),
               std::max(failing, slowing)}};
    if (!slow.names.empty())
        list.push_back({list_words(slow.names) + ": slow calls take " + decimal(slow.slowness, 2) +
                            " times as long as elsewhere",
                        std::max(failing, slowing)});
    return list;
}

List periodic_spikes(const Facts& facts) {
    const Rhythm& found = facts.rhythm;
    const Share where{found.inside.part, found.inside.part + found.outside.part};
    return {{found.period == 0 ? "too short a time to see a rhythm"
                               : percent(where.value()) + " of the trouble comes every " +
                                     time_words(found.period) + ", from second " +
                                     std::to_string(found.phase / second) + " of it",
             found.period == 0 ? 0 : ramp(where.value(), 0.35, 0.65)},
            {"it came in " + percent(found.repeats) + " of " + std::to_string(found.periods) +
                 " periods",
             found.periods < 4 ? 0 : ramp(found.repeats, 0.4, 0.7)},
            {percent(found.inside.value()) + " of the calls then, " +
                 percent(found.outside.value()) + " else",
             smallest({ramp(at_least(found.inside), 0.03, 0.1),
                       ramp(lift(found.inside, found.outside), 3, 6),
                       found.chance < 1e-3 ? 1.0 : 0.0})}};
}

List retry_storm(const Facts& facts) {
    const Storm& storm = facts.storm;
    const auto per = [](std::uint64_t part, std::uint64_t all) { return Share{part, all}.value(); };
    const double amplification = per(storm.attempts, storm.calls);
    const double in_vain = per(storm.in_vain, storm.retried);
    const bool told = facts.of(Cause::overloaded) > 0.1;
    return {{decimal(amplification, 3) + " attempts per call in the bad time",
             ramp(amplification, 1.2, 1.8)},
            {percent(in_vain) + " of the retried calls failed all the same" +
                 (told ? ", and the service says it is overloaded" : ""),
             told ? ramp(in_vain, 0.1, 0.3) : ramp(in_vain, 0.15, 0.45)},
            {percent(per(storm.by_load, storm.troubled)) +
                 " of the trouble is overload and missing answers",
             ramp(per(storm.by_load, storm.troubled), 0.4, 0.7)},
            at_all(facts)};
}

List short_timeout(const Facts& facts) {
    const Cut& cut = facts.cut;
    return {{percent(facts.of(Cause::timed_out)) + " of the trouble is timeouts",
             ramp(facts.of(Cause::timed_out), 0.4, 0.7)},
            {percent(cut.at_limit.value()) + " of them end at the limit of " +
                 time_words(cut.limit) + (cut.work.empty() ? "" : " (" + shown(cut.work) + ")"),
             ramp(cut.at_limit.value(), 0.4, 0.7)},
            {"good answers reach up to it: " + decimal(cut.near, 2) +
                 " in its second half for each attempt cut off",
             ramp(cut.near, 0.1, 0.35)},
            {"the service does not call itself overloaded: " +
                 percent(facts.of(Cause::overloaded)) + " of the trouble",
             1 - ramp(facts.of(Cause::overloaded), 0.1, 0.3)},
            {"it happens all the time: in " + percent(cut.through) + " of the stretches looked at",
             ramp(cut.through, 0.25, 0.5)},
            at_all(facts)};
}

List throttled(const Facts& facts) {
    const double limited = facts.of(Cause::throttled) + facts.of(Cause::contended);
    return {
        {percent(limited) + " of the trouble is throttling or contention", ramp(limited, 0.3, 0.6)},
        at_all(facts)};
}

List server_errors(const Facts& facts) {
    double errors = 0;
    for (const Cause cause :
         {Cause::overloaded, Cause::unavailable, Cause::timed_out, Cause::internal, Cause::corrupt,
          Cause::stale_route, Cause::wrong_region})
        errors += facts.of(cause);
    return {{percent(errors) + " of the trouble is the service failing, missing or not answering",
             ramp(errors, 0.3, 0.6)},
            at_all(facts)};
}

List unknown_trouble(const Facts& facts) { return {at_all(facts)}; }

constexpr std::array<List (*)(const Facts&), root_count - 1> questions{
    client_cpu,      slow_dns,      credentials,     oversized_request, hot_key,
    regional_outage, sick_instance, periodic_spikes, retry_storm,       short_timeout,
    throttled,       server_errors, unknown_trouble};

}  // namespace

std::string_view to_string(Root root) {
    constexpr std::array<std::string_view, root_count> names{
        "healthy",       "client-cpu",      "slow-dns",      "credentials",     "oversized-request",
        "hot-key",       "regional-outage", "sick-instance", "periodic-spikes", "retry-storm",
        "short-timeout", "throttled",       "server-errors", "unknown-trouble"};
    return names[static_cast<std::size_t>(root)];
}

const Suspicion* Diagnosis::about(Root root) const {
    for (const Suspicion& one : suspicions)
        if (one.root == root) return &one;
    return nullptr;
}

Diagnosis diagnose(const Facts& facts) {
    Diagnosis diagnosis;
    for (std::size_t i = 0; i < questions.size(); ++i) {
        Suspicion& one = diagnosis.suspicions.emplace_back();
        one.root = static_cast<Root>(i + 1);
        one.evidence = questions[i](facts);
        one.score = 1;
        for (const Evidence& evidence : one.evidence)
            one.score = std::min(one.score, evidence.weight);
        if (one.score < threshold) continue;
        if (diagnosis.verdict == Root::healthy) diagnosis.verdict = one.root;
        // What the last ones say is how the others look from afar.
        else if (!diagnosis.also && one.root < Root::throttled) diagnosis.also = one.root;
    }
    return diagnosis;
}

}  // namespace tool::doctor
