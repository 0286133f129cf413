// SPDX-License-Identifier: Apache-2.0
//
// What does it change? A fleet pays and reads for a minute of virtual time while answers get lost,
// throttles come and go and the service is away for six seconds. Everything printed is counted.
//
//     perdure_demo [SEED]
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "callers.hpp"

namespace demo {
namespace {

constexpr int processes = 40;
constexpr Duration minute = 60s, between_calls = 100ms;  // of one process

struct Count {
    int calls = 0, payments = 0, done = 0;
    int lost_payments = 0, lost_reads = 0;  // said failed, and it did not happen
    int hidden = 0;                         // said failed, and it did happen
    int made_up = 0;                        // said done, and it did not happen
    int doubled = 0;                        // payments
    long long cents_too_much = 0;
    int unknown = 0, unknown_but_booked = 0;
    int calls_while_away = 0;
    Duration total{}, longest{};
    Service::Load load{}, load_while_away{};
};

// In the order in which the calls begin; every third call is a payment.
std::vector<Order> orders() {
    std::vector<Order> all;
    std::uint64_t id = 0;
    for (Duration at{}; at < minute; at += between_calls)
        for (int process = 0; process < processes; ++process, ++id) {
            const auto begins = TimePoint{at + between_calls * process / processes};
            all.push_back({.id = id,
                           .process = process,
                           .cents = 100 + static_cast<int>(id % 900),
                           .begins = begins});
        }
    return all;
}

bool is_payment(const Order& order) { return order.id % 3 == 0; }

void judge_payment(Count& count, Answer answer, int times, int cents) {
    ++count.payments;
    if (times > 1)
        ++count.doubled, count.cents_too_much += static_cast<long long>(times - 1) * cents;
    if (answer == Answer::failed) ++(times > 0 ? count.hidden : count.lost_payments);
    if (answer == Answer::done && times == 0) ++count.made_up;
    if (answer == Answer::unknown) ++count.unknown, count.unknown_but_booked += times > 0 ? 1 : 0;
}

Count play(Way way, std::uint64_t seed) {
    Service service{seed};
    CallClock clock;
    perdure::SeededRandom dice{seed};
    std::vector<std::unique_ptr<Process>> fleet;
    for (int i = 0; i < processes; ++i) fleet.push_back(make_process(way, clock, dice));

    Count count;
    for (const Order& order : orders()) {
        Process& process = *fleet[static_cast<std::size_t>(order.process)];
        clock.begin(order.begins);
        const bool payment = is_payment(order);
        const Answer answer = payment ? process.pay(service, order) : process.read(service, order);

        ++count.calls;
        if (answer == Answer::done) ++count.done;
        if (payment) judge_payment(count, answer, service.times_booked(order), order.cents);
        else if (answer != Answer::done) ++count.lost_reads;
        const Faults& faults = service.faults();
        if (order.begins >= faults.away_from && order.begins < faults.away_until)
            ++count.calls_while_away;
        const Duration took = clock.now() - order.begins;
        count.total += took;
        count.longest = std::max(count.longest, took);
    }
    count.load = service.load();
    count.load_while_away = service.load_while_away();
    return count;
}

using Counts = std::array<Count, 3>;

template <class Value>
void row(const char* group, const char* text, const Counts& counts, Value value) {
    std::printf("%-8s %-44s", group, text);
    for (const Count& count : counts) {
        const auto cell = value(count);
        if constexpr (std::is_floating_point_v<decltype(cell)>) std::printf(" %12.2f", cell);
        else std::printf(" %12lld", static_cast<long long>(cell));
    }
    std::printf("\n");
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }
double in_ms(Duration time) { return static_cast<double>(time.count()) / 1e6; }

void report(std::uint64_t seed, const Counts& counts) {
    const Count& any = counts[0];
    const Faults faults;
    std::printf("%d processes make %d calls, %d of them payments, in one minute of virtual time. "
                "Seed %llu.\n"
                "%.0f %% of attempts are refused, %.0f %% take effect and lose their answer, %.0f "
                "%% of moments are throttled;\n"
                "from second %lld to second %lld the service is away.\n\n",
                processes, any.calls, any.payments, static_cast<unsigned long long>(seed),
                faults.refused * 100, faults.lost * 100, faults.throttled * 100,
                static_cast<long long>(faults.away_from.time_since_epoch() / 1s),
                static_cast<long long>(faults.away_until.time_since_epoch() / 1s));
    std::printf("%-53s %12s %12s %12s\n", "", "one attempt", "plain loop", "Perdure");
    row("done", "calls that were answered", counts, [](const Count& c) { return c.done; });
    row("lost", "payments said failed, and not booked", counts,
        [](const Count& c) { return c.lost_payments; });
    row("", "reads without an answer", counts, [](const Count& c) { return c.lost_reads; });
    row("wrong", "payments said failed, but booked", counts,
        [](const Count& c) { return c.hidden; });
    row("", "payments said done, but not booked", counts, [](const Count& c) { return c.made_up; });
    row("doubled", "payments booked more than once", counts,
        [](const Count& c) { return c.doubled; });
    row("", "cents booked too much", counts, [](const Count& c) { return c.cents_too_much; });
    row("unknown", "payments said unknown", counts, [](const Count& c) { return c.unknown; });
    row("", "  of which were booked", counts, [](const Count& c) { return c.unknown_but_booked; });
    row("cost", "attempts per call", counts,
        [](const Count& c) { return share(static_cast<double>(c.load.attempts), c.calls); });
    row("", "attempts per call while the service is away", counts, [](const Count& c) {
        return share(static_cast<double>(c.load_while_away.attempts), c.calls_while_away);
    });
    row("", "questions to the ledger per payment", counts,
        [](const Count& c) { return share(static_cast<double>(c.load.questions), c.payments); });
    row("", "questions per call while the service is away", counts, [](const Count& c) {
        return share(static_cast<double>(c.load_while_away.questions), c.calls_while_away);
    });
    row("waited", "mean duration of a call, ms", counts,
        [](const Count& c) { return in_ms(c.total) / c.calls; });
    row("", "longest call, ms", counts, [](const Count& c) { return in_ms(c.longest); });
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) {
    using namespace demo;
    std::uint64_t seed = 1;
    if (argc > 1) {
        const char* end = argv[1] + std::strlen(argv[1]);
        if (argc > 2 || std::from_chars(argv[1], end, seed).ptr != end) {
            std::fprintf(stderr, "perdure_demo [SEED]: the seed is a whole number\n");
            return 2;
        }
    }
    const Counts counts{play(Way::one_attempt, seed), play(Way::plain_loop, seed),
                        play(Way::perdure, seed)};
    report(seed, counts);
    std::printf("\nThe plain loop sends a payment again whose answer was lost, and calls "
                "\"failed\" what was booked.\n"
                "Perdure asks the ledger before it repeats, waits as the service asked, stops when "
                "retries are no\n"
                "longer paid for by successes, and says \"unknown\" where the ledger could not be "
                "asked in time.\n");
    const Count& ours = counts[2];
    return ours.doubled == 0 && ours.hidden == 0 && ours.made_up == 0 ? 0 : 1;
}
