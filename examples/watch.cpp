// SPDX-License-Identifier: Apache-2.0
//
// Who sees what a call went through? Log lines, events, one call's record, counters. For
// docs/guide/watch-your-calls.md.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

namespace {

// [line-log]
void print_line(std::string_view line) noexcept {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
}
// [/line-log]

// [observer]
// Called by every thread that makes calls, so it counts atomically and does nothing slow.
class RefusedRetries final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        if (event.kind == EventKind::finished && event.stop == Stop::budget) ++refused_;
        lowest_budget_ = std::min(lowest_budget_.load(), event.budget_milli_left);
    }
    [[nodiscard]] int count() const noexcept { return refused_; }
    [[nodiscard]] double lowest_budget() const noexcept { return lowest_budget_ / 1000.0; }

private:
    std::atomic<int> refused_{0};
    std::atomic<int> lowest_budget_{1'000'000};
};
// [/observer]

Result<int> busy(const Attempt& attempt) {
    if (attempt.number < 3)
        return fail(
            {.cause = Cause::throttled, .retry_after = 200ms, .status = 429, .request_id = "r-17"});
    return 7;
}

void log_lines(Clock& clock) {
    // [use-line-log]
    LineLog log{print_line};
    Caller users{{.name = "users"}, {.clock = clock, .observer = &log}};
    const auto value = users.run({.name = "load", .safety = Safety::read}, busy);
    // [/use-line-log]
    std::printf("%s\n", value ? "ok" : "failed");
}

void one_record(Clock& clock) {
    Caller users{{.name = "users"}, {.clock = clock}};
    // [diagnostics]
    Diagnostics record;
    const auto value =
        users.run({.name = "load", .safety = Safety::read, .diagnostics = &record}, busy);
    if (record.attempts().size() > 1 || !value) std::printf("%s\n", record.to_json().c_str());
    // [/diagnostics]
}

void outage(Clock& clock) {
    RefusedRetries refusals;
    Caller users{{.name = "users"}, {.clock = clock, .observer = &refusals}};
    for (int call = 0; call < 20; ++call)
        (void)users.run({.name = "load", .safety = Safety::read},
                        []() -> Result<int> { return fail({.cause = Cause::unavailable}); });
    // [counters]
    const CallCounts counts = users.counts();
    for (std::size_t kind = 0; kind < count_kinds; ++kind) {
        const auto count = static_cast<Count>(kind);
        if (counts[count] > 0)
            std::printf("%-18s %d\n", std::string{to_string(count)}.c_str(),
                        static_cast<int>(counts[count]));
    }
    const auto p99 = users.latencies().quantile(0.99);  // of attempts that succeeded
    std::printf("p99 is %s; tokens left: %.1f\n", p99 ? "known" : "not known yet",
                users.budget().milli_left() / 1000.0);
    // [/counters]
    std::printf("%d calls ended by the budget, which fell to %.1f\n", refusals.count(),
                refusals.lowest_budget());
}

}  // namespace

int main() {
    testing::VirtualClock clock;
    log_lines(clock);
    one_record(clock);
    outage(clock);
}
