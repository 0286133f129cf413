// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a scenario file, and perhaps one setting of the command line. Reading it must end
// with a study or with problems in words, never otherwise; a study without problems has a scenario
// in every case that the simulator accepts.
#include "sim/scenario_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text{reinterpret_cast<const char*>(data), size};
    tool::Wishes wishes;
    // What stands behind a NUL is a setting.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        const std::string_view setting = text.substr(nul + 1);
        const std::size_t equals = setting.find('=');
        if (equals != std::string_view::npos)
            wishes.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
        text = text.substr(0, nul);
    }
    const tool::Reading reading = tool::read_study(text, "fuzz", wishes);
    const auto must = [](bool holds, const char* what) {
        if (holds) return;
        std::fprintf(stderr, "it is not so that %s\n", what);
        std::abort();
    };
    for (const tool::Problem& problem : reading.problems)
        must(!problem.text.empty(), "every problem has words");
    if (!reading.problems.empty()) return 0;
    must(!reading.study.cases.empty(), "a study has cases");
    must(reading.study.cases.size() ==
             reading.study.rows.size() * reading.study.sweep.values.size(),
         "there is a case for every row and point");
    for (const tool::Case& one : reading.study.cases)
        if (const auto* scenario = std::get_if<perdure::sim::Scenario>(&one.what))
            must(perdure::sim::validate(*scenario).empty(), "every scenario is sound");
    return 0;
}
