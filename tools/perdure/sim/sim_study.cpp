// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_study.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "perdure/sim/simulate.hpp"
#include "perdure/time/start_thread.hpp"

namespace tool {

namespace {

Measured run_one(const Case& one, std::uint64_t seed) {
    if (const auto* scenario = std::get_if<sim::Scenario>(&one.what))
        return measure(sim::simulate(*scenario, seed), *scenario);
    return measure(sim::contend(std::get<sim::Contest>(one.what), seed));
}

// Whole numbers, so that the order in which the threads add them changes nothing.
struct Sums {
    struct Second {
        std::uint64_t offered = 0, ok = 0, attempts = 0, answers = 0, queue = 0;
        std::uint64_t begun = 0, served = 0, wasted = 0;
        std::int64_t waited = 0;
    };
    std::vector<Second> seconds{};
    std::mutex mutex{};

    void add(const std::vector<sim::Second>& run) {
        const std::lock_guard held{mutex};
        seconds.resize(std::max(seconds.size(), run.size()));
        for (std::size_t i = 0; i < run.size(); ++i) {
            Second& sum = seconds[i];
            sum.offered += run[i].offered;
            sum.ok += run[i].ok;
            sum.attempts += run[i].attempts;
            sum.answers += run[i].answers;
            sum.queue += run[i].queue;
            sum.begun += run[i].begun;
            sum.served += run[i].served;
            sum.wasted += run[i].wasted;
            sum.waited += run[i].waited;
        }
    }

    [[nodiscard]] std::vector<SecondMean> means(int seeds) const {
        std::vector<SecondMean> list;
        const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / seeds; };
        for (const Second& sum : seconds)
            list.push_back({.offered = mean(sum.offered),
                            .ok = mean(sum.ok),
                            .attempts = mean(sum.attempts),
                            .answers = mean(sum.answers),
                            .queue = mean(sum.queue),
                            .queue_age = sum.begun ? static_cast<double>(sum.waited) / 1e9 /
                                                         static_cast<double>(sum.begun)
                                                   : 0,
                            .wasted = sum.served ? static_cast<double>(sum.wasted) /
                                                       static_cast<double>(sum.served)
                                                 : 0});
        return list;
    }
};

}  // namespace

sim::Summary CaseFindings::summary(std::string_view metric) const {
    std::vector<double> known;
    if (!values.empty())
        for (const double value : values[metric_index(metric)])
            if (!std::isnan(value)) known.push_back(value);
    return sim::summarise(known);
}

double CaseFindings::mean(std::string_view metric) const {
    const sim::Summary found = summary(metric);
    return found.count > 0 ? found.mean : std::numeric_limits<double>::quiet_NaN();
}

Findings run_study(const Study& study, const Running& running) {
    const auto seeds = static_cast<std::size_t>(running.seeds);
    std::vector<Sums> sums(study.cases.size());
    Findings findings{.seeds = running.seeds,
                      .points = study.sweep.values.size(),
                      .cases = std::vector<CaseFindings>(study.cases.size())};
    for (CaseFindings& one : findings.cases)
        one.values.assign(metrics().size(), std::vector<double>(seeds));

    std::atomic<std::size_t> next{0};
    std::mutex telling;
    std::size_t done = 0;
    std::exception_ptr failed;
    const auto run_all = [&] {
        for (std::size_t i = next++; i < study.cases.size() * seeds; i = next++) {
            const std::size_t which = i / seeds, seed = i % seeds;
            const Measured measured = run_one(study.cases[which], seed + 1);
            for (std::size_t m = 0; m < measured.values.size(); ++m)
                findings.cases[which].values[m][seed] = measured.values[m];
            sums[which].add(measured.seconds);
            const std::lock_guard held{telling};
            ++done;
            if (running.progress) running.progress(done);
        }
    };
    // What one thread cannot do ends the work of all, and is the caller's to hear.
    const auto work = [&] {
        try {
            run_all();
        } catch (...) {
            next = study.cases.size() * seeds;
            const std::lock_guard held{telling};
            failed = std::current_exception();
        }
    };
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    {
        std::vector<std::jthread> others;
        const auto runs = study.cases.size() * seeds;
        const auto wanted = static_cast<std::size_t>(running.threads > 0 ? running.threads : cores);
        // As many as the system gives: the result is the same.
        while (others.size() + 1 < std::min(wanted, runs)) {
            auto started = start_thread(work);
            if (!started) break;
            others.push_back(*std::move(started));
        }
        work();
    }
    if (failed) std::rethrow_exception(failed);
    for (std::size_t i = 0; i < sums.size(); ++i)
        findings.cases[i].seconds = sums[i].means(running.seeds);
    return findings;
}

}  // namespace tool
