// SPDX-License-Identifier: Apache-2.0
#include "explain/explain_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "text/duration_text.hpp"

namespace tool {

namespace {

std::string plain(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

}  // namespace

std::string waits_of(const Rule& rule) {
    std::string text = rule.attempts > 0 ? std::to_string(rule.attempts) + " attempts"
                                         : std::string{"until the deadline"};
    if (rule.window != never) text += " or for " + in_words(rule.window);
    if (rule.window_counts == WindowCounts::waiting) text += " of waiting";
    if (rule.not_before_giving_up > Duration::zero())
        text += " and until one was later than " + in_words(rule.not_before_giving_up);
    if (rule.attempts == 1) return "not repeated";
    const Backoff& backoff = rule.backoff;
    if (backoff.base <= Duration::zero()) return text + ", at once";
    text += backoff.first == FirstRetry::at_once ? ", at once, then " : ", ";
    text += in_words(backoff.base) + " · " + plain(backoff.factor) + "^n up to " +
            in_words(backoff.cap) + ", times " + plain(backoff.jitter.low) + " to " +
            plain(backoff.jitter.high) + " at random";
    if (rule.hint.use == HintUse::plus)
        text += "; or what the service asks for and up to " + in_words(rule.hint.by) + " more";
    return text;
}

std::string rules_table(const Plan& plan) {
    std::string text = "\n## Rules\n\n| rule | waits | cost |\n|---|---|---|\n";
    const auto add = [&](const std::string& name, const Rule& rule) {
        text += "| " + name + " | " + waits_of(rule) + " | " +
                (rule.cost ? plain(*rule.cost) : std::string{"by cause"}) + " |\n";
    };
    for (const NamedRule& named : plan.rules) add("`" + named.name + "`", named.rule);
    if (std::ranges::find(plan.rules, "connect", &NamedRule::name) == plan.rules.end())
        add("`connect`", plan.connect);
    add("any other", plan.rule);
    return text;
}

}  // namespace tool
