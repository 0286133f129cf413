// SPDX-License-Identifier: Apache-2.0
#include "doctor_stage_lines.hpp"

namespace stage {
namespace {

perdure::JournalStamp stamp(const std::string& instance, int weight = 1) {
    return {
        .service_name = "shop", .instance = instance, .weight = static_cast<std::uint64_t>(weight)};
}

}  // namespace

void Lines::call(const std::string& instance, const perdure::Diagnostics& call, int weight) {
    write(instance, call_line(call, stamp(instance, weight)));
}

void Lines::process(const std::string& instance, const perdure::ProcessSpan& span) {
    write(instance, process_line(span, stamp(instance)));
}

void Lines::started(const std::string& instance, perdure::WallTime at) {
    write(instance, journal_line(perdure::JournalEvent::started, at, 0, stamp(instance)));
}

void Lines::write(const std::string& instance, const std::string& line) {
    auto [found, fresh] = files_.try_emplace(instance);
    if (fresh) found->second.open(folder_ + "/" + instance + ".jsonl");
    found->second << line << '\n';
}

}  // namespace stage
