// SPDX-License-Identifier: Apache-2.0
#include "chaos/chaos_report.hpp"

#include <algorithm>
#include <utility>

#include "text/json_text.hpp"

namespace tool {

namespace {

std::string row(std::string_view name, std::uint64_t value) {
    std::string text = "  " + std::string{name};
    text.resize(std::max<std::size_t>(text.size() + 1, 28), ' ');
    return text + std::to_string(value) + "\n";
}

std::uint64_t all_faults(const chaos::Counters& counters) {
    return counters.faults_before_forwarding + counters.faults_after_forwarding;
}

}  // namespace

Opening::Opening(const chaos::Plan& plan, std::string to)
    : to_{std::move(to)},
      protocol_{plan.protocol == chaos::Protocol::http ? "http" : "tcp"},
      rules_{plan.rules.size()},
      seed_{plan.seed} {}

std::string Opening::text(const chaos::Proxy& proxy) const {
    return "listening on " + proxy.address() + ", to " + to_ + " (" + protocol_ + ", " +
           std::to_string(rules_) + (rules_ == 1 ? " rule" : " rules") + ", seed " +
           std::to_string(seed_) + ")\n";
}

std::string Opening::json(const chaos::Proxy& proxy) const {
    JsonLine line;
    line.text("listening", proxy.address())
        .number("port", proxy.port())
        .text("to", to_)
        .text("protocol", protocol_)
        .number("rules", static_cast<long long>(rules_))
        .raw("seed", std::to_string(seed_));
    return std::move(line).end();
}

std::string counters_line(const chaos::Counters& counters) {
    return std::to_string(counters.connections) + " connections, " +
           std::to_string(counters.requests) + " requests, " + std::to_string(counters.forwarded) +
           " forwarded, " + std::to_string(counters.answered) + " answered, " +
           std::to_string(all_faults(counters)) + " faults\n";
}

std::string counters_text(const chaos::Counters& counters) {
    std::string text = "connections " + std::to_string(counters.connections) + ", requests " +
                       std::to_string(counters.requests) + "\n";
    text += row("forwarded", counters.forwarded) + row("answered", counters.answered);
    if (counters.malformed > 0) text += row("malformed", counters.malformed);
    if (counters.upstream_failed > 0) text += row("server failed", counters.upstream_failed);
    text += "faults " + std::to_string(all_faults(counters)) + "\n";
    text += row("before forwarding", counters.faults_before_forwarding);
    text += row("after forwarding", counters.faults_after_forwarding);
    for (const chaos::RuleCount& rule : counters.rules)
        text += row(rule.name, rule.struck) + "    of " + std::to_string(rule.fitting) +
                " that fitted\n";
    return text;
}

}  // namespace tool
