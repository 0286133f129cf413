// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a plan for the fault proxy, or a rule of one word. Reading them must end with a plan
// or with problems in words, never otherwise; a plan without problems is one that the proxy accepts.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "chaos/plan_file.hpp"

namespace {

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const tool::PlanReading reading = tool::read_plan(text);
    for (const tool::Problem& problem : reading.problems)
        must(!problem.text.empty() && problem.place.line > 0, "a problem has words and a line");
    if (reading.problems.empty())
        must(perdure::chaos::validate(reading.plan).empty(), "a plan without problems is sound");

    const auto rule = tool::rule_from_flag(text);
    if (rule)
        must(validate(*rule, perdure::chaos::Protocol::http).empty(),
             "a rule that is made is sound");
    else must(!rule.error().message.empty(), "a refusal has words");
    return 0;
}
