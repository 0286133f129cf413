// SPDX-License-Identifier: Apache-2.0
//
// Do the numbers add up, does Prometheus read them, and do they stay bounded?
#include "perdure/telemetry/metrics.hpp"

#include <thread>
#include <vector>

#include "perdure/telemetry/observers.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "telemetry/exposition_reader.hpp"
#include "telemetry/scratch.hpp"

namespace perdure::testing {
namespace {

const std::string durations = "perdure_client_operation_duration_seconds";

Labels of(const std::string& operation, Labels more = {}) {
    more["peer_service"] = "users";
    more["operation"] = operation;
    return more;
}

struct MetricsOf : ::testing::Test {
    VirtualClock clock;
    FixedRandom ceiling{1.0};
    Metrics metrics;
    Caller users{{.name = "users"}, {clock, ceiling, &metrics}};
};

TEST_F(MetricsOf, calls_that_never_were_have_families_and_no_samples) {
    const Exposition read = read_exposition(metrics.prometheus());
    EXPECT_EQ(read.types.at(durations), "histogram");
    EXPECT_EQ(read.types.size(), 8u);
    EXPECT_TRUE(read.samples.empty());
}

TEST_F(MetricsOf, calls_of_every_end_are_counted_once) {
    Scripted<int> fine{{succeeds(1).takes(20ms)}, clock};
    EXPECT_TRUE(users.run({.name = "load"}, fine));
    Scripted<int> late{{fails(Cause::throttled), succeeds(1)}};
    EXPECT_TRUE(users.run({.name = "load"}, late));
    Scripted<int> wrong{{fails(Cause::invalid)}};
    EXPECT_FALSE(users.run({.name = "load"}, wrong));
    Scripted<int> lost{{fails(Cause::timed_out)}};
    EXPECT_FALSE(users.run({.name = "load"}, lost));

    const Exposition read = read_exposition(metrics.prometheus());
    EXPECT_EQ(read.value(durations + "_count", of("load", {{"outcome", "success"}})), 2);
    EXPECT_EQ(read.value(durations + "_count", of("load", {{"outcome", "failure"}})), 1);
    EXPECT_EQ(read.value(durations + "_count", of("load", {{"outcome", "unknown"}})), 1);
    EXPECT_DOUBLE_EQ(read.value(durations + "_sum", of("load", {{"outcome", "success"}})), 0.07);
    EXPECT_EQ(
        read.value(durations + "_bucket", of("load", {{"outcome", "success"}, {"le", "0.025"}})),
        1);
    EXPECT_EQ(
        read.value(durations + "_bucket", of("load", {{"outcome", "success"}, {"le", "0.05"}})), 2);
    const std::string attempts = "perdure_client_attempts_total";
    EXPECT_EQ(read.value(attempts, of("load")), 2);
    EXPECT_EQ(read.value(attempts, of("load", {{"error_type", "throttled"}})), 1);
    EXPECT_EQ(read.value(attempts, of("load", {{"error_type", "timed_out"}})), 1);
    const std::string failures = "perdure_client_operation_failures_total";
    EXPECT_EQ(read.value(failures, of("load", {{"error_type", "invalid"}, {"stop", "permanent"}})),
              1);
    EXPECT_EQ(read.value(failures, of("load", {{"error_type", "timed_out"}, {"stop", "unsafe"}})),
              1);
    EXPECT_DOUBLE_EQ(read.value("perdure_client_wait_seconds_total", of("load")), 0.05);
    EXPECT_NEAR(read.value("perdure_client_retry_budget_tokens", {{"peer_service", "users"}}),
                users.budget().milli_left() / 1000.0, 1e-9);
}

TEST_F(MetricsOf, failed_calls_hold_no_message) {
    EXPECT_FALSE(users.run({.name = "load"}, []() -> Result<int> {
        return fail({.cause = Cause::invalid, .code = "400", .message = "Bad Request: hunter2"});
    }));
    EXPECT_EQ(metrics.prometheus().find("hunter2"), std::string::npos);
}

TEST_F(MetricsOf, attempts_that_overran_are_counted_beside_their_end) {
    Scripted<int> slow{{succeeds(1).takes(20s)}, clock};
    EXPECT_TRUE(users.run({.name = "load"}, slow));
    const Exposition read = read_exposition(metrics.prometheus());
    EXPECT_EQ(read.value("perdure_client_attempts_overran_total", of("load")), 1);
    EXPECT_EQ(read.value("perdure_client_attempts_total", of("load")), 1);
}

TEST_F(MetricsOf, names_of_any_kind_can_be_read_and_stay_apart) {
    const std::vector<std::string> names{"a\"b\\c\nd",  "\xff", "\xfe", "tab\there",
                                         "caf\xc3\xa9", "",     "{}=,", "other"};
    for (const std::string& name : names) make_calls(users, 1, name);
    Caller others{{.name = "other"}, {clock, ceiling, &metrics}};
    make_calls(others, 1, "other");
    const Exposition read = read_exposition(metrics.prometheus());
    EXPECT_EQ(read.value(durations + "_count", of("a\"b\\c\nd", {{"outcome", "success"}})), 1);
    EXPECT_EQ(read.value(durations + "_count", of("caf\xc3\xa9", {{"outcome", "success"}})), 1);
    std::size_t counts = 0;
    for (const auto& [key, value] : read.samples) counts += key.first == durations + "_count";
    EXPECT_EQ(counts, names.size() + 1);
}

TEST_F(MetricsOf, more_names_than_wanted_are_counted_together) {
    Metrics few{{.most_series = 5}};
    Caller caller{{.name = "users"}, {clock, ceiling, &few}};
    for (int i = 0; i < 100; ++i) make_calls(caller, 2, "op" + std::to_string(i));
    const Exposition read = read_exposition(few.prometheus());
    double all = 0;
    std::size_t series = 0;
    for (const auto& [key, value] : read.samples)
        if (key.first == durations + "_count") all += value, ++series;
    EXPECT_EQ(series, 6u);
    EXPECT_EQ(all, 200);
    EXPECT_EQ(
        read.value(durations + "_count",
                   {{"peer_service", "other"}, {"operation", "other"}, {"outcome", "success"}}),
        190);
}

TEST(MetricsThreads, lose_no_call_while_others_read) {
    constexpr int threads = 8, each = 2000;
    Metrics metrics{{.most_series = 20}};
    Caller users{{.name = "users"}, {.observer = &metrics}};
    {
        std::vector<std::jthread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back([&, t] {
                for (int i = 0; i < each; ++i)
                    make_calls(users, 1, "op" + std::to_string((i + t) % 30));
            });
        for (int i = 0; i < 20; ++i) (void)read_exposition(metrics.prometheus());
    }
    double total = 0;
    for (const auto& [key, value] : read_exposition(metrics.prometheus()).samples)
        if (key.first == durations + "_count") total += value;
    EXPECT_EQ(total, threads * each);
}

class Listening final : public Observer {
public:
    explicit Listening(bool wants) : wants_{wants} {}
    void on_event(const Event&) noexcept override { ++events; }
    [[nodiscard]] bool wants_calls() const noexcept override { return wants_; }
    void on_call(const Diagnostics&) noexcept override { ++calls; }
    int events = 0, calls = 0;

private:
    bool wants_;
};

TEST(Observers, hand_everything_to_each_and_calls_to_those_who_want_them) {
    Listening one{false}, other{true};
    Observers both{&one, nullptr, &other};
    Caller users{{.name = "users"}, {.observer = &both}};
    make_calls(users, 3);
    EXPECT_GT(one.events, 0);
    EXPECT_EQ(one.events, other.events);
    EXPECT_EQ(one.calls, 0);
    EXPECT_EQ(other.calls, 3);
    Observers indifferent{&one};
    EXPECT_FALSE(indifferent.wants_calls());
}

}  // namespace
}  // namespace perdure::testing
