// SPDX-License-Identifier: Apache-2.0
#include "live/support/sql_link.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace perdure::live {
namespace {

using chaos::Then;
using chaos::When;

chaos::Rule cut(Lost what, const SqlFaults& faults) {
    chaos::Rule rule{.fault = chaos::Fault::cut_at_marker, .marker = faults.marker};
    switch (what) {
        case Lost::before: rule.name = "before"; break;
        case Lost::after:
            rule.name = "after";
            rule.when = When::after;
            break;
        case Lost::answered:
            rule.name = "answered";
            rule.when = When::answered;
            break;
        case Lost::half_open:
            rule.name = "half open";
            rule.then = Then::half_open;
            rule.open_for = faults.open_for;
            break;
        case Lost::late:
            rule.name = "late";
            rule.when = When::after;
            rule.delay = faults.late_by;
            break;
        case Lost::unanswered:
            rule.name = "unanswered";
            rule.when = When::answered;
            rule.then = Then::swallow;
            break;
    }
    return rule;
}

chaos::Plan plan_of(const SqlFaults& faults) {
    chaos::Plan plan{.protocol = chaos::Protocol::tcp, .seed = faults.seed};
    for (const auto& [what, chance] : {std::pair{Lost::before, faults.before},
                                       {Lost::after, faults.after},
                                       {Lost::answered, faults.answered},
                                       {Lost::half_open, faults.half_open},
                                       {Lost::late, faults.late},
                                       {Lost::unanswered, faults.unanswered}}) {
        if (chance <= 0) continue;
        plan.rules.push_back(cut(what, faults));
        plan.rules.back().match.probability = chance;
    }
    return plan;
}

[[noreturn]] void give_up_because(const Failure& failure) {
    std::cerr << "the link cannot be made: " << failure.message << "\n";
    std::abort();
}

}  // namespace

SqlLink::SqlLink(std::uint16_t server, const SqlFaults& faults) {
    auto proxy =
        chaos::Proxy::start(plan_of(faults), {.to = "127.0.0.1:" + std::to_string(server)});
    if (!proxy) give_up_because(proxy.error());
    proxy_ = std::move(*proxy);
}

void SqlLink::change(const SqlFaults& faults) {
    if (const auto changed = proxy_->change(plan_of(faults)); !changed)
        give_up_because(changed.error());
}

void SqlLink::cut_next(Lost what, std::uint64_t nth, const SqlFaults& rest) {
    chaos::Rule rule = cut(what, rest);
    rule.match = {.from = nth, .to = nth};
    chaos::Plan plan{.rules = {std::move(rule)}, .protocol = chaos::Protocol::tcp};
    if (const auto changed = proxy_->change(std::move(plan)); !changed)
        give_up_because(changed.error());
}

}  // namespace perdure::live
