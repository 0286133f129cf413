// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/observer.hpp"

#include <array>
#include <cstdio>

namespace perdure {
inline namespace v0 {

Observer::~Observer() = default;
bool Observer::wants_calls() const noexcept { return false; }
void Observer::on_call(const Diagnostics&) noexcept {}

std::string_view to_string(EventKind kind) noexcept {
    static constexpr std::array<std::string_view, 14> names{
        "call_started",   "attempt_started", "hedge_started",   "attempt_succeeded",
        "attempt_failed", "partly_done",     "attempt_cut_off", "waiting",
        "woken",          "preparing",       "asking",          "landed",
        "finished",       "attempt_overran"};
    return names.at(static_cast<std::size_t>(kind));
}

namespace {

std::string in_words(Duration took) {
    const auto count = static_cast<double>(took.count());
    std::array<char, 40> text{};
    if (took < 1ms) std::snprintf(text.data(), text.size(), "%.3g us", count / 1e3);
    else if (took < 1s) std::snprintf(text.data(), text.size(), "%.3g ms", count / 1e6);
    else std::snprintf(text.data(), text.size(), "%.2f s", count / 1e9);
    return text.data();
}

}  // namespace

std::string to_line(const Event& event) {
    const bool attempt = event.kind == EventKind::attempt_failed;
    if (!event.failure || (!attempt && event.kind != EventKind::finished)) return {};
    std::string line{event.dependency};
    line += ' ';
    line += event.operation;
    line += attempt ? ": attempt " + std::to_string(event.number) + " failed after " +
                          in_words(event.took)
                    : ": failed after " + in_words(event.elapsed);
    Failure failure = *event.failure;
    if (failure.dependency == event.dependency) failure.dependency.clear();  // it stands in front
    return line + ": " + to_string(failure);
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
