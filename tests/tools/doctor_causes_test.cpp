// SPDX-License-Identifier: Apache-2.0
#include "doctor/causes.hpp"

#include <gtest/gtest.h>

namespace tool::doctor {
namespace {

void set(Facts& facts, Cause cause, double share) {
    facts.mix[static_cast<std::size_t>(cause)] = share;
}

// 10 000 calls of 10 instances with 0.3 % of background failures, all covered.
Facts healthy() {
    Facts facts{.calls = 10'000, .troubled = 30};
    facts.failed = {0, 10'000};
    facts.affected = facts.steady = {30, 10'000};
    facts.useful = {30, 30};
    set(facts, Cause::unavailable, 1);
    facts.p99 = 20'000'000;
    facts.p99_without.fill(20'000'000);
    facts.instances.of = facts.slow_instances.of = 10;
    facts.instances_affected = 10;
    facts.starving.contrast = true;
    facts.starving.hurt_else = {30, 10'000};
    facts.starving.calls = {0, 10'000};
    facts.slow_by_dns.of = 10'000;
    return facts;
}

Facts in_trouble(Cause cause, std::uint64_t affected, std::uint64_t failed) {
    Facts facts = healthy();
    facts.affected = facts.steady = {affected, 10'000};
    facts.failed = {failed, 10'000};
    facts.troubled = affected;
    facts.mix.fill(0);
    set(facts, cause, 1);
    return facts;
}

struct Case {
    Root expected;
    Facts facts;
};

Case sick_instance() {
    Facts facts = in_trouble(Cause::unavailable, 330, 20);
    facts.instances.names = {"host-7"};
    facts.instances.inside = {300, 1000};
    facts.instances.outside = {30, 9000};
    facts.instances.steady = 0.25;
    facts.instances.compared = {1000, 1000};
    facts.instances.times = 90;
    return {Root::sick_instance, facts};
}

Case outage() {
    Facts facts = sick_instance().facts;
    facts.places = {.names = {"east"},
                    .of = 3,
                    .inside = {900, 3000},
                    .outside = {20, 7000},
                    .steady = 0.2,
                    .instances = 8,
                    .instances_affected = 8};
    return {Root::regional_outage, facts};
}

Case hot() {
    Facts facts = in_trouble(Cause::throttled, 800, 100);
    facts.hot = {.subject = "00000000000000aa",
                 .inside = {700, 1500},
                 .outside = {60, 8500},
                 .share = 0.92,
                 .known = 1,
                 .chance = 1e-30};
    return {Root::hot_key, facts};
}

Case starving() {
    Facts facts = in_trouble(Cause::timed_out, 300, 10);
    facts.starving.calls = {3000, 10'000};
    facts.starving.hurt = {1500, 3000};
    facts.starving.hurt_else = {70, 7000};
    return {Root::client_cpu, facts};
}

Case dns() {
    Facts facts = healthy();
    facts.slow_by_dns.part = 500;
    facts.p99 = 900'000'000;
    facts.p99_without.fill(900'000'000);
    facts.p99_without[static_cast<std::size_t>(Part::dns)] = 30'000'000;
    return {Root::slow_dns, facts};
}

Case short_timeout() {
    Facts facts = in_trouble(Cause::timed_out, 800, 5);
    facts.cut = {.work = "orders get",
                 .cut = {850, 10'850},
                 .at_limit = {850, 850},
                 .near = 2.5,
                 .limit = 50'000'000,
                 .through = 1};
    return {Root::short_timeout, facts};
}

Case storm() {
    Facts facts = in_trouble(Cause::timed_out, 7000, 5000);
    facts.cut = short_timeout().facts.cut;
    facts.storm = {.calls = 8000,
                   .attempts = 24'000,
                   .failed = 5000,
                   .retried = 7000,
                   .in_vain = 5000,
                   .troubled = 20'000,
                   .by_load = 19'000};
    return {Root::retry_storm, facts};
}

Case spikes() {
    Facts facts = in_trouble(Cause::throttled, 200, 10);
    facts.steady = {20, 9000};
    facts.rhythm = {.period = 60'000'000'000,
                    .inside = {180, 400},
                    .outside = {20, 9600},
                    .repeats = 1,
                    .periods = 10,
                    .chance = 1e-20};
    return {Root::periodic_spikes, facts};
}

Case oversized() {
    Facts facts = in_trouble(Cause::throttled, 200, 190);
    facts.oversized = {
        .large = {190, 200}, .small = {5, 9800}, .from = 100'000, .measure = "bytes"};
    return {Root::oversized_request, facts};
}

TEST(Diagnosis, names_each_cause_from_its_own_evidence) {
    for (const Case& one : {Case{Root::healthy, healthy()}, sick_instance(), outage(), hot(),
                            starving(), dns(), short_timeout(), storm(), spikes(), oversized(),
                            Case{Root::throttled, in_trouble(Cause::throttled, 900, 10)},
                            Case{Root::credentials, in_trouble(Cause::credentials, 900, 900)},
                            Case{Root::server_errors, in_trouble(Cause::internal, 900, 300)},
                            Case{Root::unknown_trouble, in_trouble(Cause::exhausted, 900, 300)}}) {
        const Diagnosis diagnosis = diagnose(one.facts);
        EXPECT_EQ(to_string(diagnosis.verdict), to_string(one.expected));
        ASSERT_EQ(diagnosis.suspicions.size(), std::size_t{root_count - 1});
        if (one.expected != Root::healthy) {
            EXPECT_GE(diagnosis.about(one.expected)->score, threshold);
        }
    }
}

TEST(Diagnosis, of_a_p99_that_is_missed_without_any_failure_is_trouble) {
    Facts facts = healthy();
    facts.wishes.p99 = 10'000'000;
    facts.mix.fill(0);
    EXPECT_EQ(diagnose(facts).verdict, Root::unknown_trouble);
}

TEST(Diagnosis, takes_each_missing_piece_of_evidence_seriously) {
    Facts facts = sick_instance().facts;
    facts.steady = {20, 9000};
    facts.instances.steady = 0;  // one blip
    EXPECT_EQ(diagnose(facts).verdict, Root::healthy);

    facts = sick_instance().facts;
    facts.instances.times = 1.1;  // the others fared no better at the same time
    EXPECT_NE(diagnose(facts).verdict, Root::sick_instance);

    facts = outage().facts;
    facts.places.instances_affected = 1;  // only one of those who go there
    EXPECT_EQ(diagnose(facts).verdict, Root::sick_instance);

    facts = hot().facts;
    facts.hot.outside = {4000, 8500};  // the others are throttled just as often
    EXPECT_EQ(diagnose(facts).verdict, Root::throttled);

    facts = starving().facts;
    facts.starving.hurt = {30, 3000};  // busy, and nobody suffers
    EXPECT_NE(diagnose(facts).verdict, Root::client_cpu);

    facts = short_timeout().facts;
    facts.cut.near = 0.01;  // nothing ever takes nearly that long: the service is silent
    EXPECT_EQ(diagnose(facts).verdict, Root::server_errors);

    facts = storm().facts;
    facts.storm.in_vain = 300;  // the retries help
    EXPECT_EQ(diagnose(facts).verdict, Root::short_timeout);

    facts = spikes().facts;
    facts.rhythm.repeats = 0.1;
    EXPECT_EQ(diagnose(facts).verdict, Root::healthy);
}

TEST(Diagnosis, tells_a_second_cause_that_is_no_symptom_of_the_first) {
    Facts facts = sick_instance().facts;
    facts.hot = hot().facts.hot;
    facts.mix.fill(0);
    set(facts, Cause::throttled, 0.6);
    set(facts, Cause::unavailable, 0.4);
    const Diagnosis diagnosis = diagnose(facts);
    EXPECT_EQ(diagnosis.verdict, Root::hot_key);
    ASSERT_TRUE(diagnosis.also);
    EXPECT_EQ(*diagnosis.also, Root::sick_instance);
}

TEST(Diagnosis, names_of_causes_are_stable) {
    const char* names[] = {
        "healthy",       "client-cpu",      "slow-dns",      "credentials",     "oversized-request",
        "hot-key",       "regional-outage", "sick-instance", "periodic-spikes", "retry-storm",
        "short-timeout", "throttled",       "server-errors", "unknown-trouble"};
    for (int i = 0; i < root_count; ++i) EXPECT_EQ(to_string(static_cast<Root>(i)), names[i]);
}

}  // namespace
}  // namespace tool::doctor
