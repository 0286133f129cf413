// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/observer.hpp"

#include <array>
#include <cstdio>

namespace perdure {
inline namespace v0 {

Observer::~Observer() = default;

std::string_view to_string(EventKind kind) noexcept {
    static constexpr std::array<std::string_view, 13> names{
        "call_started",    "attempt_started", "hedge_started", "attempt_succeeded", "attempt_failed", "partly_done", "attempt_cut_off",
        "waiting",         "woken",         "preparing",         "asking",         "landed",      "finished"};
    return names.at(static_cast<std::size_t>(kind));
}

namespace {

std::string in_milliseconds(Duration took) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.3g ms", static_cast<double>(took.count()) / 1e6);
    return text.data();
}

}  // namespace

std::string to_line(const Event& event) {
    if (!event.failure) return {};
    std::string line;
    line += event.dependency;
    line += ' ';
    line += event.operation;
    if (event.kind == EventKind::attempt_failed)
        line += ": attempt " + std::to_string(event.number) + " failed after " + in_milliseconds(event.took);
    else if (event.kind == EventKind::finished) line += ": gave up after " + in_milliseconds(event.elapsed);
    else return {};
    return line + ": " + to_string(*event.failure);
}

void LineLog::on_event(const Event& event) noexcept {
    try {
        if (const std::string line = to_line(event); !line.empty()) sink_(line);
    } catch (...) {  // out of memory: a log must not fail the call it describes
        sink_("a failure could not be logged: out of memory");
    }
}

}  // namespace v0
}  // namespace perdure
