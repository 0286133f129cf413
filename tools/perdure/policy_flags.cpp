// SPDX-License-Identifier: Apache-2.0
#include "policy_flags.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tool {

void add_policy_flags(Section& section, PolicyFlags& flags, PolicyPresets presets) {
    constexpr const char* group = "Policy";
    section.count("--attempts", flags.attempts, 1'000'000,
                  "how often at most, the first included; 0: until the deadline",
                  {.preset = "4", .group = group});
    section.duration("--base", flags.base,
                     "the first wait is up to this long; it doubles from there",
                     {.preset = "50ms", .group = group, .zero = Zero::allowed});
    section.duration("--cap", flags.cap, "no wait is longer",
                     {.preset = "5s", .group = group, .zero = Zero::allowed});
    section.duration("--timeout", flags.timeout, "of each attempt",
                     {.preset = presets.timeout, .group = group});
    section.duration("--deadline", flags.deadline, "of everything together, waits included",
                     {.preset = presets.deadline, .group = group});
}

Plan plan_from(const PolicyFlags& flags, std::string name) {
    Plan plan;
    plan.name = std::move(name);
    plan.deadline = flags.deadline.value_or(never);
    plan.attempt_timeout = flags.timeout.value_or(plan.deadline);
    plan.rule.attempts = flags.attempts;
    plan.rule.backoff.base = flags.base;
    plan.rule.backoff.cap = flags.cap.value_or(std::max(plan.rule.backoff.cap, flags.base));
    return plan;
}

std::string problems_with(const Plan& plan) {
    using Named = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Named, 5> flags{{{"deadline", "--deadline"},
                                                 {"attempt_timeout", "--timeout"},
                                                 {"rule.attempts", "--attempts 0:"},
                                                 {"rule.backoff.base", "--base"},
                                                 {"rule.backoff.cap", "--cap"}}};
    std::string text;
    for (const Finding& finding : validate(plan)) {
        if (finding.severity != Severity::problem) continue;
        const auto flag = std::ranges::find(flags, finding.field, &Named::first);
        if (!text.empty()) text += "; ";
        text += flag == flags.end() ? finding.field : std::string{flag->second};
        text += finding.field == "rule.attempts" ? " without a limit it needs a --deadline"
                                                 : " " + finding.text;
    }
    return text;
}

}  // namespace tool
