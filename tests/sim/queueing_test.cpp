// SPDX-License-Identifier: Apache-2.0
//
// Does a simulated service queue as theory says? Poisson arrivals, one attempt, no network, no
// timeout: every figure has a closed form, and must lie in the 99.9 % interval of the replications.
#include "queueing_theory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "evidence.hpp"
#include "runs.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

struct Effort {
    int seeds;
    Duration warm_up, duration;
    double rarest;
};
constexpr Effort quick{20, 4s, 34s, 0.01};
constexpr Effort full{24, 20s, 620s, 0.001};

// A power of two of nanoseconds, so that the sketch's buckets end exactly at 1, 2, 4 … units. The
// more workers, the longer: all runs see some hundred arrivals per second.
Duration unit_for(int workers) {
    return Duration{std::int64_t{1} << (20 + std::bit_width(static_cast<unsigned>(workers) - 1U))};
}

Plan one_attempt() {
    return {.deadline = never,
            .attempt_timeout = never,
            .rule = {.attempts = 1},
            .budget = {.kind = BudgetKind::none}};
}

// `rate` in calls per unit.
Scenario station(int workers, int room, double rate, const Distribution& work, Duration unit,
                 const Effort& effort) {
    return {.clients = {.count = 1, .rate = {{0s, rate / seconds(unit)}}},
            .plan = one_attempt(),
            .services = {{.workers = workers, .work = work, .queue = {.limit = room}}},
            .network = {.there = Distribution::constant(0ns), .back = Distribution::constant(0ns)},
            .duration = effort.duration,
            .warm_up = effort.warm_up};
}

// Collects rows: theory beside simulation.
class Comparison {
public:
    explicit Comparison(const std::string& table)
        : evidence_{table, {"system", "figure", "theory", "simulated, 99.9 % interval"}} {}

    void expect(const std::string& system, const std::string& figure, double theory,
                const std::vector<double>& values) {
        const Estimate found = estimate(values);
        EXPECT_TRUE(found.covers(theory))
            << system << ", " << figure << ": theory " << theory << ", simulated " << found.mean
            << " ± " << found.margin << " (seeds 1 to " << values.size() << ")";
        evidence_.row({system, figure, cell(theory, 5), cell(found.mean, found.margin, 5)});
    }

private:
    Evidence evidence_;
};

// Figures of the time between the warm-up and the last arrival.
struct Window {
    const Account& account;
    const Effort& effort;
    [[nodiscard]] double sum(auto field) const {
        return over_seconds(account, effort.warm_up, effort.duration, field);
    }
    [[nodiscard]] double length() const { return seconds(effort.duration - effort.warm_up); }
};

std::vector<double> mean_waits(const std::vector<Account>& runs, const Effort& effort,
                               Duration unit) {
    return each(runs, [&](const Account& account) {
        const Window window{account, effort};
        return window.sum(&Second::waited) * 1e-9 / window.sum(&Second::served) / seconds(unit);
    });
}

std::vector<double> shares(const std::vector<Account>& runs, const Effort& effort,
                           std::uint32_t Second::* of, std::uint32_t Second::* among) {
    return each(runs, [&](const Account& account) {
        const Window window{account, effort};
        return window.sum(of) / window.sum(among);
    });
}

std::vector<double> tails(const std::vector<Account>& runs, Duration beyond) {
    return each(runs, [&](const Account& account) {
        return static_cast<double>(account.latency.count_above(beyond - 1ns)) /
               static_cast<double>(account.latency.count());
    });
}

struct Row {
    int workers;
    double load_per_worker;
};
constexpr std::array<Row, 8> erlang_rows{
    {{1, .8}, {2, .8}, {5, .5}, {5, .8}, {10, .5}, {10, .8}, {50, .8}, {100, .8}}};

void compare_delay(const Effort& effort) {
    Comparison comparison{"queues-delay"};
    for (const auto& [workers, rho] : erlang_rows) {
        const double load = workers * rho, c = erlang_c(workers, load);
        const Duration unit = unit_for(workers);
        const auto runs = run_many(
            station(workers, unlimited, load, Distribution::exponential(unit), unit, effort),
            effort.seeds);
        const std::string system = "M/M/" + std::to_string(workers) + ", ρ = " + cell(rho, 1);
        comparison.expect(system, "share that waits", c,
                          shares(runs, effort, &Second::begun, &Second::served));
        comparison.expect(system, "mean wait", c / (workers - load),
                          mean_waits(runs, effort, unit));
        comparison.expect(system, "mean service", 1, each(runs, [&](const Account& account) {
                              const ServiceAccount& service = account.services.front();
                              return static_cast<double>(service.busy) /
                                     static_cast<double>(service.served) /
                                     static_cast<double>(unit.count());
                          }));
        // Rarer ones come in clusters: too few for an interval.
        for (const int t : {1, 4, 8})
            if (const double tail = sojourn_tail(workers, load, t); tail > effort.rarest)
                comparison.expect(system, "P(stay > " + std::to_string(t) + ")", tail,
                                  tails(runs, t * unit));
    }
}

void compare_loss(const Effort& effort) {
    Comparison comparison{"queues-loss"};
    for (const auto& [workers, rho] : erlang_rows) {
        const Duration unit = unit_for(workers);
        const double load = workers * rho;
        const auto runs = run_many(
            station(workers, 0, load, Distribution::exponential(unit), unit, effort), effort.seeds);
        comparison.expect("M/M/" + std::to_string(workers) +
                              " without a queue, ρ = " + cell(rho, 1),
                          "share refused", erlang_b(workers, load),
                          shares(runs, effort, &Second::rejected, &Second::offered));
    }
}

void compare_bounded(const Effort& effort) {
    struct Case {
        int workers, places;
        double rate;
    };
    Comparison comparison{"queues-bounded"};
    for (const auto& [workers, places, rate] :
         std::array<Case, 5>{{{1, 5, .8}, {1, 20, .8}, {1, 20, 1.2}, {1, 20, 2}, {10, 20, 8}}}) {
        const Bounded theory = bounded_queue(workers, places, rate);
        const Duration unit = unit_for(workers);
        const auto runs = run_many(
            station(workers, places - workers, rate, Distribution::exponential(unit), unit, effort),
            effort.seeds);
        const std::string system = "M/M/" + std::to_string(workers) + "/" + std::to_string(places) +
                                   ", λ = " + cell(rate, 1);
        const auto rate_served = each(runs, [&](const Account& account) {
            const Window window{account, effort};
            return window.sum(&Second::served) / window.length() * seconds(unit);
        });
        auto stay = mean_waits(runs, effort, unit), present = stay;
        for (std::size_t i = 0; i < stay.size(); ++i) present[i] = rate_served[i] * (stay[i] += 1);
        comparison.expect(system, "share refused", theory.blocking,
                          shares(runs, effort, &Second::rejected, &Second::offered));
        comparison.expect(system, "throughput", theory.throughput, rate_served);
        comparison.expect(system, "mean stay", theory.stay, stay);
        comparison.expect(system, "mean number present", theory.present, present);
    }
}

void compare_general(const Effort& effort) {
    const Duration unit = unit_for(1);
    struct Case {
        const char* name;
        Distribution work;
        double published;  // mean wait
    };
    const auto scaled = [&](double share) {
        return Duration{static_cast<Duration::rep>(share * static_cast<double>(unit.count()))};
    };
    const std::vector<Case> cases{
        {"deterministic", Distribution::constant(unit), 2},
        {"exponential", Distribution::exponential(unit), 4},
        // 1 in 17 takes 9 times the mean, the others half of it: a variation of 4.
        {"bimodal, cs² = 4", Distribution::bimodal(unit / 2, 9 * unit, 1.0 / 17), 10},
        {"bimodal 0.1/10 ms, 0.1 %",
         Distribution::bimodal(scaled(1 / 1.099), scaled(100 / 1.099), 0.001), 2.00 / 0.1099},
    };
    Comparison comparison{"queues-general"};
    for (const auto& [name, work, published] : cases) {
        const double load = 0.8 * work.mean() / static_cast<double>(unit.count());
        const auto runs = run_many(station(1, unlimited, 0.8, work, unit, effort), effort.seeds);
        const double theory = pollaczek_khinchine(load, work.variation()) * work.mean() /
                              static_cast<double>(unit.count());
        EXPECT_NEAR(theory, published, 0.002 * published) << name;
        comparison.expect(std::string{"M/G/1, ρ = 0.8, "} + name, "mean wait", theory,
                          mean_waits(runs, effort, unit));
    }
}

TEST(QueueingTheory, gives_the_numbers_of_the_published_tables) {
    struct Case {
        int workers;
        double rho, c, wait, b;
    };
    for (const Case& row : std::array<Case, 8>{{{1, .8, .80000, 4.00000, .44444},
                                                {2, .8, .71111, 1.77778, .32990},
                                                {5, .5, .13037, .05215, .06973},
                                                {5, .8, .55411, .55411, .19907},
                                                {10, .5, .03611, .00722, .01838},
                                                {10, .8, .40918, .20459, .12166},
                                                {50, .8, .08695, .00870, .01869},
                                                {100, .8, .01965, .00098, .00399}}}) {
        const double load = row.workers * row.rho;
        EXPECT_NEAR(erlang_c(row.workers, load), row.c, 6e-6);
        EXPECT_NEAR(erlang_c(row.workers, load) / (row.workers - load), row.wait, 6e-6);
        EXPECT_NEAR(erlang_b(row.workers, load), row.b, 6e-6);
    }
    EXPECT_NEAR(bounded_queue(1, 5, .8).blocking, .088819, 6e-7);
    EXPECT_NEAR(bounded_queue(1, 20, 1.2).present, 15.4666, 6e-5);
    EXPECT_NEAR(bounded_queue(10, 20, 8).stay, 1.1451, 6e-5);
    EXPECT_NEAR(bounded_queue(10, 20, 8).throughput, 7.9271, 6e-5);
    EXPECT_NEAR(sojourn_tail(1, .8, 23.026), .01, 1e-5);
    EXPECT_NEAR(mean_orbit(.5, .2), 3.0, 1e-12);
}

TEST(Queueing, makes_calls_wait_as_erlang_says) { compare_delay(quick); }
TEST(Queueing, refuses_as_often_as_erlang_says_without_a_queue) { compare_loss(quick); }
TEST(Queueing, fills_a_bounded_queue_as_theory_says) { compare_bounded(quick); }
TEST(Queueing, makes_calls_wait_longer_the_more_the_work_varies) { compare_general(quick); }

TEST(SimFull, queues_agree_with_theory) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare_delay(full);
    compare_loss(full);
    compare_bounded(full);
    compare_general(full);
}

// Refused calls come back after an exponential time until they are served: a queue outside the
// server. Each of the retries takes 1/θ on average, so Little gives the number away.
void compare_orbit(const Effort& effort) {
    Comparison comparison{"queues-retrial"};
    struct Case {
        double load, theta;
    };
    for (const auto& [load, theta] : std::array<Case, 3>{{{.5, 1}, {.5, .2}, {.8, 1}}}) {
        const Duration unit = unit_for(1);
        Scenario scenario = station(1, 0, load, Distribution::exponential(unit), unit, effort);
        scenario.services[0].retry_after = Distribution::exponential(
            Duration{static_cast<Duration::rep>(static_cast<double>(unit.count()) / theta)});
        scenario.plan.rule = {.attempts = 1'000'000,
                              .backoff = {.base = 1ns, .cap = 1ns},
                              .cost = 0,
                              .hint = {.use = HintUse::replace}};
        const auto runs = run_many(scenario, effort.seeds);
        const std::string system =
            "M/M/1 retrial, ρ = " + cell(load, 1) + ", θ = " + cell(theta, 1);
        comparison.expect(system, "mean number away", mean_orbit(load, theta),
                          each(runs, [&, rate = load, back = theta](const Account& account) {
                              return rate * (account.amplification() - 1) / back;
                          }));
        for (const Account& account : runs) EXPECT_EQ(account.ok, account.offered);
    }
}

TEST(Queueing, keeps_as_many_away_as_the_retrial_queue) { compare_orbit(quick); }
TEST(SimFull, the_retrial_queue_agrees_with_theory) {
    if (!full_run_wanted()) GTEST_SKIP() << "set PERDURE_SIM_FULL";
    compare_orbit(full);
}

}  // namespace
}  // namespace perdure::testing
