// SPDX-License-Identifier: Apache-2.0
#include "page_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace tool::samples {

namespace {

constexpr double duration = 460;
constexpr double trigger_begins = 100;
constexpr double trigger_ends = 160;
constexpr double offered_rate = 950;

// Always the same, on every machine.
class Noise {
public:
    double next() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(state_ >> 40) / static_cast<double>(1U << 24) - 0.5;
    }

private:
    std::uint64_t state_ = 7;
};

struct Policy {
    std::string name;
    double amplification = 1;  // attempts per call while the service is down
    double recovers = 0;       // seconds after the trigger; 0: never
    std::string outcome;
};

const std::array policies{
    Policy{"no retries", 1.0, 4, "recovers after 4 s"},
    Policy{"4 attempts, no budget", 4.0, 0, "never recovers"},
    Policy{"4 attempts, full jitter", 4.0, 0, "never recovers"},
    Policy{"AWS 2026 standard", 1.9, 96, "recovers after 96 s"},
    Policy{"Finagle budget", 1.3, 22, "recovers after 22 s"},
    Policy{"Perdure default", 1.1, 12, "recovers after 12 s"},
};

double goodput_at(const Policy& policy, double t) {
    if (t < trigger_begins) return offered_rate;
    if (t < trigger_ends) return 200.0 / policy.amplification;
    if (policy.recovers == 0) return 140;
    const double since = (t - trigger_ends) / policy.recovers;
    return since >= 1 ? offered_rate : 200 + (offered_rate - 200) * since * since;
}

double attempts_at(const Policy& policy, double t) {
    const double lost = 1 - goodput_at(policy, t) / offered_rate;
    return offered_rate * (1 + (policy.amplification - 1) * lost);
}

template <typename Function>
Line line(std::string name, Function value, double noise = 0) {
    Noise chance;
    Line result{.name = std::move(name)};
    for (double t = 0; t <= duration; t += 2)
        result.points.push_back({t, std::max(0.0, value(t) * (1 + noise * chance.next()))});
    return result;
}

Line offered() {
    Line result = line("offered", [](double) { return offered_rate; });
    result.tone = Tone::muted;
    result.style = Style::dashed;
    return result;
}

Panel panel(const Policy& policy) {
    const auto goodput = [&](double t) { return goodput_at(policy, t); };
    const auto attempts = [&](double t) { return attempts_at(policy, t); };
    const Mood mood = policy.recovers == 0    ? Mood::bad
                      : policy.name[0] == 'P' ? Mood::best
                      : policy.recovers < 30  ? Mood::good
                                              : Mood::neutral;
    return {.title = policy.name,
            .note = policy.outcome,
            .mood = mood,
            .lines = {offered(), line("goodput", goodput, 0.05), line("attempts", attempts, 0.04)}};
}

const Span trigger{trigger_begins, trigger_ends, "capacity × 0.2"};

Multiples side_by_side() {
    Multiples result{.title = "Six policies side by side",
                     .note = "The same clients, the same trigger. Only the policy differs.",
                     .x = {.label = "time", .unit = "s"},
                     .y = {.label = "requests", .unit = "/s"},
                     .spans = {trigger}};
    for (const Policy& policy : policies) result.panels.push_back(panel(policy));
    return result;
}

Chart goodputs() {
    Chart chart{.title = "Useful answers over time",
                .note =
                    "A call counts when its answer comes before the client's deadline of `2 s`.",
                .x = {.label = "time", .unit = "s"},
                .y = {.label = "goodput", .unit = "/s"},
                .spans = {trigger},
                .x_marks = {{172, "Perdure default recovered", Mood::good}},
                .y_marks = {{1000, "capacity"}}};
    for (const Policy& policy : policies)
        chart.lines.push_back(
            line(policy.name, [&](double t) { return goodput_at(policy, t); }, 0.03));
    return chart;
}

Chart loop() {
    Chart chart{.title = "Load up, load down: the way back is another one",
                .note =
                    "Load rises from left to right and then falls again. Between 620/s and 980/s "
                    "the service has two states.",
                .x = {.label = "offered load", .unit = "/s"},
                .y = {.label = "goodput", .unit = "/s"},
                .y_marks = {{1000, "capacity"}},
                .order = Order::path};
    Line naive{.name = "4 attempts, no budget"};
    Line ours{.name = "Perdure default"};
    for (int i = 0; i <= 40; ++i) {
        const double load = i <= 20 ? 60.0 * i : 60.0 * (40 - i);
        const bool down = load > 980 || (i > 20 && load > 620);
        naive.points.push_back({load, down ? 140 + 0.05 * load : load});
        ours.points.push_back({load, std::min(load, 985.0)});
    }
    chart.lines = {std::move(naive), std::move(ours)};
    return chart;
}

Chart percentiles() {
    Chart chart{.title = "Latency on a logarithmic axis",
                .note =
                    "The band holds the middle 80 % of all calls. Four seconds were not measured.",
                .x = {.label = "time", .unit = "s", .low = 60, .high = 260},
                .y = {.label = "latency", .unit = "s", .scale = Scale::log},
                .spans = {trigger},
                .y_marks = {{2, "deadline", Mood::bad}}};
    Line band{.name = "p10 to p90", .style = Style::band, .like = "median"};
    Line median{.name = "median"};
    Line steps{.name = "timeout", .style = Style::step};
    Noise chance;
    for (double t = 60; t <= 260; t += 2) {
        const bool slow = t >= trigger_begins && t < trigger_ends + 12;
        const double middle = (slow ? 0.4 : 0.012) * std::exp(0.3 * chance.next());
        const bool gap = t >= 220 && t < 224;
        median.points.push_back({t, gap ? no_number : middle});
        band.points.push_back({t, gap ? no_number : middle * 3.2, gap ? no_number : middle / 2.5});
        steps.points.push_back({t, slow ? 1.2 : 0.25});
    }
    chart.lines = {std::move(band), std::move(median), std::move(steps)};
    return chart;
}

Histogram latencies() {
    Histogram histogram{.title = "Where a timeout would cut",
                        .note = "100,000 calls. The second hill is a cache miss, not a fault.",
                        .x = {.label = "latency", .unit = "s", .scale = Scale::log},
                        .y = {.label = "calls"},
                        .x_marks = {{0.0081, "p50 8.1 ms"},
                                    {0.119, "p99 119 ms"},
                                    {0.171, "p99.9 171 ms"},
                                    {0.250, "timeout 250 ms", Mood::best}}};
    const auto hill = [](double at, double middle, double width) {
        const double off = std::log(at / middle) / width;
        return std::exp(-off * off);
    };
    for (double from = 0.001; from < 0.4; from *= 1.1) {
        const double count = 8600 * hill(from, 0.0075, 0.5) + 900 * hill(from, 0.09, 0.4);
        histogram.buckets.push_back({from, from * 1.1, std::round(count)});
    }
    return histogram;
}

Table results() {
    return {
        .caption = "The numbers",
        .note = "Click a column to sort by it.",
        .columns = {{"policy"},
                    {"useful answers", Align::right, "answers before the deadline, of all calls"},
                    {"attempts per call", Align::right},
                    {"recovers after", Align::right},
                    {"p99", Align::right}},
        .rows = {
            {{{"no retries"}, {"88.4 %", 88.4}, {"1.00"}, {"4 s", 4}, {"1.91 s", 1.91}}},
            {{{"4 attempts, no budget"}, {"31.0 %", 31}, {"3.62"}, {"never"}, {"–"}}, Mood::bad},
            {{{"4 attempts, full jitter"}, {"33.7 %", 33.7}, {"3.55"}, {"never"}, {"–"}},
             Mood::bad},
            {{{"AWS 2026 standard"}, {"74.2 %", 74.2}, {"1.31"}, {"96 s", 96}, {"1.97 s", 1.97}}},
            {{{"Finagle budget"}, {"86.9 %", 86.9}, {"1.08"}, {"22 s", 22}, {"880 ms", 0.88}},
             Mood::good},
            {{{"Perdure default"}, {"89.9 %", 89.9}, {"1.03"}, {"12 s", 12}, {"640 ms", 0.64}},
             Mood::best}}};
}

Bars attempts() {
    Bars bars{.title = "Attempts per call while the service was down",
              .values = {.label = "attempts per call"},
              .marks = {{1, "one each"}}};
    for (const Policy& policy : policies)
        bars.bars.push_back({.name = policy.name,
                             .value = policy.amplification,
                             .mood = policy.recovers == 0 ? Mood::bad : Mood::neutral});
    return bars;
}

Headline headline() {
    return {
        .done =
            {"200 clients sent **950 calls/s** to a service that can do 1,000/s. From second 100 "
             "to 160 its capacity fell to a fifth."},
        .happened = {.text =
                         "Two of six policies never came back, although the cause was long gone.",
                     .points = {"`4 attempts, no budget` sent 3.6 attempts per call and kept the "
                                "service down by itself.",
                                "The default recovered after 12 s."}},
        .change =
            {"Put a retry budget on every client: `--budget 10%`. More attempts or more jitter "
             "do not help here."},
        .figures = {{"89.9 %", "useful answers with the default", Mood::best},
                    {"31.0 %", "with 4 attempts and no budget", Mood::bad},
                    {"12 s", "until the default recovered", Mood::good},
                    {"1.03", "attempts per call"}}};
}

}  // namespace

Page storm() {
    Page page{"A storm of retries", "460 s simulated, 200 clients, 6 policies, seed 7"};
    page.add(headline()).add(side_by_side()).add(goodputs()).add(results()).add(loop());
    page.add(
        Text{"Latency", "What the callers saw.\n\nA timeout belongs where the curve has ended."});
    page.add(percentiles()).add(latencies()).add(attempts());
    page.add(Details{"All parameters",
                     {Table{.columns = {{"name"}, {"value", Align::right}},
                            .rows = {{{{"clients"}, {"200"}}}, {{{"deadline"}, {"2 s"}}}}}}});
    page.add(Code{"How to run this again",
                  "perdure sim storm --seed 7 --clients 200 --html storm.html"});
    return page.footer("Made by perdure 0.1.0.");
}

Page big() {
    Page page{"Ten lines of a thousand points"};
    Chart chart{.title = "Many", .x = {.label = "time", .unit = "s"}, .y = {.label = "load"}};
    Noise chance;
    for (int i = 0; i < 10; ++i) {
        Line each{.name = "line " + std::to_string(i)};
        double value = 100.0 * (i + 1);
        for (int t = 0; t < 1000; ++t)
            each.points.push_back({t * 0.5, value += chance.next() * 10});
        chart.lines.push_back(std::move(each));
    }
    page.add(std::move(chart));
    return page;
}

Page hostile() {
    const std::string text =
        "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>";
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Page page{text, text + " `" + text + "`"};
    page.add(
        Headline{.done = {text}, .happened = {"{{script}}", {text}}, .change = {"\xff\xfe\x01"}});
    page.add(Table{text, text, {{text, Align::left, "\"" + text}}, {{{{text}}}}});
    page.add(Chart{.title = text,
                   .x = {.label = text, .unit = text},
                   .lines = {{text, {{0, 1}, {1, infinite}, {2, 3}, {infinite, 4}, {no_number, 4}}},
                             {"\xe2\x80\xa8 line end \xff", {{0, no_number}}}},
                   .spans = {{no_number, 2, text}},
                   .x_marks = {{infinite, text}, {1, text}}});
    page.add(Chart{.title = "nothing at all"});
    page.add(Histogram{.title = "no buckets"});
    page.add(Histogram{.title = "zero on a logarithmic axis",
                       .x = {.scale = Scale::log},
                       .buckets = {{0, 1, 5}, {1, 10, 3}, {no_number, 1, 2}}});
    page.add(Bars{.title = text, .bars = {{text, infinite, text}}});
    page.add(Details{text, {Text{text, text}}}).add(Code{text, text});
    return page.footer(text);
}

}  // namespace tool::samples
