// SPDX-License-Identifier: Apache-2.0
//
// Are two accounts the same to the last count? Every whole number of an account by name, and a hash
// of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/sim/account.hpp"

namespace perdure::testing {

// Calls `take(name, value)` for every whole number of the account.
template <class Take>
void visit_numbers(const sim::Account& account, Take take) {
    const auto number = [&](const std::string& name, auto value) {
        take(name, static_cast<std::uint64_t>(value));
    };
    number("seed", account.seed);
    number("offered", account.offered), number("ok", account.ok);
    number("failed", account.failed), number("unfinished", account.unfinished);
    number("attempts", account.attempts), number("hedges", account.hedges);
    number("timeouts", account.timeouts), number("refused_locally", account.refused_locally);
    number("budget_refusals", account.budget_refusals);
    number("latencies", account.latency.count());
    for (const double q : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0})
        number("latency " + std::to_string(q), account.latency.quantile(q).value_or(-1ns).count());
    number("calls", account.calls), number("calls_ok", account.calls_ok);
    number("calls_failed", account.calls_failed);
    number("sent", account.sent), number("lost", account.lost);
    number("travelling_at_end", account.travelling_at_end);
    number("events", account.events), number("ended_at", account.ended_at.count());
    number("busiest_tenth", account.busiest_tenth);
    number("last_success", account.last_success.count());
    for (std::size_t i = 0; i < account.services.size(); ++i) {
        const sim::ServiceAccount& s = account.services[i];
        const std::string at = "service " + std::to_string(i) + " ";
        number(at + "reached", s.reached), number(at + "served", s.served);
        number(at + "failed", s.failed), number(at + "failed_at_once", s.failed_at_once);
        number(at + "rejected", s.rejected), number(at + "dropped", s.dropped);
        number(at + "cancelled", s.cancelled), number(at + "wasted", s.wasted);
        number(at + "busy", s.busy), number(at + "wasted_busy", s.wasted_busy);
        number(at + "waited", s.waited), number(at + "begun", s.begun);
        number(at + "stayed", s.stayed), number(at + "area", s.area);
        number(at + "present_at_end", s.present_at_end);
        if (s.down > 0) number(at + "down", s.down);  // so that runs without it keep theirs
    }
    for (std::size_t i = 0; i < account.seconds.size(); ++i) {
        const sim::Second& s = account.seconds[i];
        const std::string at = "second " + std::to_string(i) + " ";
        number(at + "offered", s.offered), number(at + "ok", s.ok);
        number(at + "attempts", s.attempts), number(at + "answers", s.answers);
        number(at + "served", s.served), number(at + "wasted", s.wasted);
        number(at + "rejected", s.rejected), number(at + "begun", s.begun);
        number(at + "waited", s.waited), number(at + "queue", s.queue);
    }
}

// The names and values in which two accounts differ; at most a few of them.
inline std::vector<std::string> differences(const sim::Account& left, const sim::Account& right) {
    std::vector<std::pair<std::string, std::uint64_t>> known;
    visit_numbers(left, [&](const std::string& name, std::uint64_t value) {
        known.emplace_back(name, value);
    });
    std::vector<std::string> found;
    std::size_t next = 0;
    visit_numbers(right, [&](const std::string& name, std::uint64_t value) {
        const bool same =
            next < known.size() && known[next].first == name && known[next].second == value;
        if (!same && found.size() < 5) found.push_back(name + " is " + std::to_string(value));
        ++next;
    });
    if (next != known.size()) found.emplace_back("one of them has more seconds or services");
    if (!(left.latency == right.latency)) found.emplace_back("latencies");
    return found;
}

// FNV-1a over the bytes of every number, the lowest first. How many events it took is left out: that
// tells of the engine, not of the fleet.
inline std::uint64_t fingerprint(const sim::Account& account) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    visit_numbers(account, [&](const std::string& name, std::uint64_t value) {
        if (name == "events") return;
        for (unsigned byte = 0; byte < 8; ++byte)
            hash = (hash ^ ((value >> (8 * byte)) & 0xffU)) * 0x100000001b3U;
    });
    return hash;
}

}  // namespace perdure::testing
