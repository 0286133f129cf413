// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "doctor/words.hpp"

namespace tool::doctor {

namespace {

std::string headline_of(const Facts& facts, Root root) {
    switch (root) {
        case Root::healthy: return "healthy";
        case Root::client_cpu:
            return "the processes themselves have no processor time left" +
                   (facts.starving.instances.empty()
                        ? std::string{}
                        : " (" + list_words(facts.starving.instances) + ")");
        case Root::slow_dns: return "looking up names is slow";
        case Root::credentials: return "credentials or rights are refused";
        case Root::oversized_request:
            return std::string{"requests too large for their throughput ("} +
                   number_words(facts.oversized.from) + " " + facts.oversized.measure +
                   " and more)";
        case Root::hot_key: return "one contended id (" + shown(facts.hot.subject) + ")";
        case Root::regional_outage:
            return "an outage of one place (" + list_words(facts.places.names) + ")";
        case Root::sick_instance: {
            const auto& names =
                facts.instances.names.empty() ? facts.slow_instances.names : facts.instances.names;
            return (names.size() == 1 ? "one sick instance (" : "some sick instances (") +
                   list_words(names) + ")";
        }
        case Root::periodic_spikes:
            return "spikes by the clock, every " + time_words(facts.rhythm.period);
        case Root::retry_storm: return "a retry storm";
        case Root::short_timeout:
            return "too short a timeout (" + time_words(facts.cut.limit) + ", " +
                   shown(facts.cut.work) + ")";
        case Root::throttled: return "throttled: more is asked for than may be";
        case Root::server_errors:
            return facts.failed.part == 0
                       ? "every call succeeded, but attempts fail and are repeated"
                       : "the service fails or does not answer";
        case Root::unknown_trouble: break;
    }
    return "trouble that fits no known cause";
}

std::vector<std::string> steps_for(const Facts& facts, Root root) {
    switch (root) {
        case Root::healthy: return {"Nothing. Keep the journals of this time to compare with."};
        case Root::client_cpu:
            return {
                "Give the process more processor time, or let it do less at once; then look again.",
                "Do not lengthen timeouts for it: the service answered, nobody was there to read."};
        case Root::slow_dns:
            return {"Ask the resolver of these hosts: dig, /etc/resolv.conf, search lists, a local "
                    "cache.",
                    "Keep connections open and share them, so that fewer look-ups are needed."};
        case Root::credentials:
            return {"Look at expiry, rotation and rights of the credentials; retries cannot help."};
        case Root::oversized_request:
            return {"Split these requests, or raise the throughput they are held against.",
                    "They will be refused however often they are sent again."};
        case Root::hot_key:
            return {"Spread the writes of this id over several keys, cache its reads, or queue its "
                    "updates.",
                    "More throughput for the whole table does not reach one key."};
        case Root::regional_outage:
            return {"Send traffic elsewhere (endpoints and failover), and look at the provider's "
                    "status page.",
                    "If the places share a network path or a resolver, rule that out."};
        case Root::sick_instance:
            return {"Take it out of service and replace it; keep one for its logs.",
                    "Compare what only it has: version, host, network path, descriptors, clock."};
        case Root::periodic_spikes:
            return {
                "Find what starts at that moment on all hosts and spread it: perdure offset NAME.",
                "If it is nothing of yours, tell the service the period and the second."};
        case Root::retry_storm:
            return {"Stop the retries, not the calls: a retry budget, fewer attempts, one retrying "
                    "layer.",
                    "Then lower the offered load until successes return, and raise it slowly."};
        case Root::short_timeout:
            return {
                "Lengthen the attempt timeout; perdure tune says to what, from these latencies.",
                "Now " + percent(facts.cut.cut.value()) +
                    " of its attempts are cut off, and the service does their work for nothing."};
        case Root::throttled:
            return {"Ask for less or pay for more: lower the rate, batch, cache, or raise the "
                    "throughput.",
                    "Honour retry_after and keep the budget: retries alone do not make room."};
        case Root::server_errors:
            return {"Hand the ids below to the service's operators, with the time and the codes."};
        case Root::unknown_trouble: break;
    }
    return {"Look at the parts of p99 and at the codes above; run again with --by operation.",
            "Narrow the time with --since and --until to where it is worst."};
}

bool is_ours(Root root) {
    switch (root) {
        case Root::regional_outage:
        case Root::server_errors:
        case Root::unknown_trouble: return false;
        default: return true;
    }
}

// SQLite's calls bear its name; there is no service behind a local file.
bool is_local(const Report& report) {
    const auto& names = report.tally.dependencies.rows();
    return std::ranges::all_of(names, [](const auto& row) { return row.first == "sqlite"; });
}

Support support_for(const Report& report) {
    const Facts& facts = report.scope_facts;
    const Root root = report.diagnosis.verdict;
    if (root == Root::healthy)
        return {false, rest_percent(facts.failed.value()) +
                           " of the calls succeed and nothing stands out beyond noise"};
    if (is_ours(root)) {
        std::string why = "the cause lies on this side: " + report.headline;
        if (root == Root::throttled || root == Root::periodic_spikes)
            why = "the service does what it was asked to: " + report.headline;
        if (facts.outside_sla()) why += "; if calls still fail after the step above, contact them";
        return {false, why};
    }
    if (is_local(report))
        return {false, "the database is a local file: look at its disk and locks"};
    if (facts.failed.part == 0 && !facts.outside_p99())
        return {false, "every call succeeded, and no wish is missed"};
    const bool all = facts.instances.of > 0 && 2 * facts.instances_affected > facts.instances.of;
    std::string why;
    const auto add = [&](const std::string& text) { why += (why.empty() ? "" : ", ") + text; };
    if (facts.outside_sla())
        add(percent(facts.failed.value()) + " of the calls fail, outside the SLA of " +
            rest_percent(1 - facts.wishes.sla));
    if (facts.outside_p99())
        add("p99 is " + time_words(facts.p99) + ", wanted " + time_words(*facts.wishes.p99));
    if (all) add(instances_words(report));
    if (root == Root::regional_outage) add("it is the place and not the callers");
    if (why.empty())
        return {false, "only a part of the instances is affected and the calls are within the SLA"};
    return {true, why + ", and nothing on this side explains it"};
}

std::vector<Example> examples_for(const Report& report) {
    const Facts& facts = report.scope_facts;
    const Tally& tally = report.scope.empty() ? report.tally : report.scope_tally;
    std::vector<Example> all;
    const auto take = [&](const Examples& from) {
        all.insert(all.end(), from.kept().begin(), from.kept().end());
    };
    switch (report.diagnosis.verdict) {
        case Root::healthy: return all;
        case Root::sick_instance:
            for (const auto& name : facts.instances.names)
                take(tally.instances.find(name)->examples);
            break;
        case Root::regional_outage:
            for (const auto& name : facts.places.names) take(tally.places.find(name)->examples);
            break;
        case Root::hot_key:
            if (const auto found = tally.subjects.rows().find(facts.hot.subject);
                found != tally.subjects.rows().end())
                take(found->second.examples);
            break;
        default:
            for (const Code* code : codes_of(report))
                if (is_repeatable(code->cause) &&
                    (report.scope.empty() || code->dependency == report.scope))
                    take(code->examples);
    }
    std::ranges::sort(all, {}, [](const Example& one) {
        return std::pair{one.request_id.empty(), one.draw};  // those with an id first
    });
    constexpr std::size_t most = 5;
    if (all.size() > most) all.resize(most);
    return all;
}

// The dependency whose calls are affected more than those of the others, by more than chance.
std::string dependency_in_trouble(const Report& report, const Tallies& tallies) {
    std::vector<Counted> groups;
    for (const auto& [name, group] : report.tally.dependencies.rows()) {
        const auto own = tallies.by_dependency.find(name);
        if (own == tallies.by_dependency.end()) continue;
        groups.push_back({name,
                          {group.affected, group.calls},
                          own->second.timeline.affected_without_blips().value(),
                          group.lines});
    }
    const Subset found = subset_of(groups, groups.empty() ? 0 : groups.size() - 1);
    std::string worst;
    std::uint64_t most = 0;
    for (const std::string& name : found.names)
        if (const std::uint64_t affected = report.tally.dependencies.find(name)->affected;
            affected > most) {
            worst = name;
            most = affected;
        }
    return worst;
}

// The dependency whose name is looked up most slowly.
std::string dependency_with_slow_names(const Tallies& tallies) {
    std::string worst;
    double most = 0;
    for (const auto& [name, tally] : tallies.by_dependency)
        if (const double share = at_least({tally.slow_by_dns, tally.calls}); share > most) {
            worst = name;
            most = share;
        }
    return worst;
}

bool take_closer_look(Report& report, Tallies& tallies, const std::string& name,
                      std::optional<Root> only) {
    if (name.empty()) return false;
    Tally& own = tallies.by_dependency.find(name)->second;
    Facts facts = facts_of(own, report.options.wishes);
    facts.starving = report.facts.starving;
    Diagnosis closer = diagnose(facts);
    if (closer.verdict == Root::healthy || (only && closer.verdict != *only)) return false;
    // From near, one sick host may show in too few calls; a vague word must not replace a clear one.
    if (closer.verdict >= Root::throttled && report.diagnosis.verdict != Root::healthy &&
        report.diagnosis.verdict < Root::throttled)
        return false;
    report.diagnosis = std::move(closer);
    report.scope = name;
    report.scope_facts = std::move(facts);
    report.scope_tally = std::move(own);
    return true;
}

// One service in trouble is judged by its own calls. Being short of processor time is a matter of the
// process, whatever it calls.
void look_closer(Report& report, Tallies& tallies) {
    report.scope_facts = report.facts;
    if (report.diagnosis.verdict == Root::client_cpu || tallies.by_dependency.size() < 2) return;
    if (take_closer_look(report, tallies, dependency_in_trouble(report, tallies), {})) return;
    if (report.diagnosis.verdict == Root::healthy)
        take_closer_look(report, tallies, dependency_with_slow_names(tallies), Root::slow_dns);
}

}  // namespace

std::vector<const Code*> codes_of(const Report& report) {
    std::vector<const Code*> codes;
    for (const auto& [name, code] : report.tally.codes.rows()) codes.push_back(&code);
    std::ranges::sort(codes, [](const Code* a, const Code* b) {
        return std::tie(b->attempts, a->dependency, a->code) <
               std::tie(a->attempts, b->dependency, b->code);
    });
    return codes;
}

std::string instances_words(const Report& report) {
    const Facts& facts = report.scope_facts;
    const std::string all = std::to_string(facts.instances.of);
    if (facts.affected.part == 0) return "none of " + all + " instances is affected";
    if (!facts.instances.names.empty())
        return std::to_string(facts.instances.names.size()) + " of " + all +
               " instances stand out: " + list_words(facts.instances.names);
    if (facts.instances.of == 1) return "there is one instance";
    if (facts.instances_affected == facts.instances.of)
        return "all " + all + " instances are affected";
    return std::to_string(facts.instances_affected) + " of " + all +
           " instances are affected, none more than chance explains";
}

std::string part_words(Part part) {
    switch (part) {
        case Part::retries: return "attempts that failed";
        case Part::waiting: return "waiting between attempts";
        case Part::pool: return "waiting for a connection";
        case Part::dns: return "looking up names";
        case Part::connect: return "connecting and TLS";
        case Part::server: return "the server";
        case Part::own: return "the own process";
    }
    return "?";
}

std::optional<Part> main_part(const Facts& facts) {
    std::optional<Part> best;
    for (std::size_t i = 0; i < part_count; ++i) {
        const auto part = static_cast<Part>(i);
        if (facts.gain(part) >= 0.2 && (!best || facts.gain(part) > facts.gain(*best))) best = part;
    }
    return best;
}

std::string p99_words(const Report& report) {
    const Facts& facts = report.facts;
    std::string text = time_words(facts.p99);
    if (facts.wishes.p99)
        text += (facts.outside_p99() ? ", above the wanted " : ", within the wanted ") +
                time_words(*facts.wishes.p99);
    const auto part = main_part(facts);
    if (!part) return text + "; no single part of the time makes it";
    return text + "; without " + part_words(*part) + " " +
           time_words(facts.p99_without[static_cast<std::size_t>(*part)]);
}

std::vector<std::pair<std::string, const Group*>> groups_of(const Report& report) {
    std::vector<std::pair<std::string, const Group*>> groups;
    if (report.options.by == By::dependency)
        for (const auto& [name, one] : report.tally.dependencies.rows())
            groups.emplace_back(name, &one);
    if (report.options.by == By::operation)
        for (const auto& [name, one] : report.tally.works.rows()) groups.emplace_back(name, &one);
    std::ranges::sort(groups, [](const auto& a, const auto& b) {
        return std::tie(b.second->calls, a.first) < std::tie(a.second->calls, b.first);
    });
    return groups;
}

Report report_on(Tallies tallies, Account account, Options options) {
    Report report{.options = std::move(options),
                  .account = std::move(account),
                  .tally = std::move(tallies.whole)};
    report.facts = facts_of(report.tally, report.options.wishes);
    report.diagnosis = diagnose(report.facts);
    look_closer(report, tallies);
    report.headline = headline_of(report.scope_facts, report.diagnosis.verdict);
    if (!report.scope.empty()) report.headline += ", calling " + shown(report.scope);
    report.next_steps = steps_for(report.scope_facts, report.diagnosis.verdict);
    report.examples = examples_for(report);
    report.support = support_for(report);
    return report;
}

}  // namespace tool::doctor
