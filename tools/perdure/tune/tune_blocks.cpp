// SPDX-License-Identifier: Apache-2.0
#include "tune/tune_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/calendar.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

constexpr std::array<Duration, 7> widths{1min, 5min, 15min, 1h, 6h, 24h, 168h};
constexpr std::size_t most_blocks = 100;  // more of them, and their worst is a freak
constexpr std::size_t most_stretches = 24;
constexpr double steady = 30;  // samples above the quantile in a block: then its bound is not noise
constexpr double enough = 0.9;  // of the samples must lie in blocks that carry the statement
constexpr double doubt = 0.01;  // that samples which are all alike seem to have a bad stretch

Ordered order_of(std::span<const TimedSample> samples, const TuneOptions& options) {
    if (!options.input.time.empty()) return Ordered::by_time;
    const auto latency = [](const TimedSample& sample) { return sample.sample.latency; };
    // Somebody's `sort -n`: neighbours are alike because they were put together.
    if (samples.size() > 2 &&
        (std::ranges::is_sorted(samples, {}, latency) ||
         std::ranges::is_sorted(samples, std::ranges::greater{}, latency)) &&
        latency(samples.front()) != latency(samples.back()))
        return Ordered::by_latency;
    return Ordered::by_file;
}

std::vector<Part> cut_by_time(std::span<const TimedSample> samples, Duration width) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const WallTime from{samples[i].at.time_since_epoch() / width * width};
        if (parts.empty() || parts.back().from != from)
            parts.push_back({.label = minute_of(from), .from = from, .first = i});
        ++parts.back().count;
    }
    return parts;
}

std::vector<Part> cut_evenly(std::size_t samples, std::size_t count) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t first = samples * i / count, last = samples * (i + 1) / count;
        parts.push_back({.label = "samples " + grouped(first + 1) + " to " + grouped(last),
                         .first = first,
                         .count = last - first});
    }
    return parts;
}

void judge(Part& part, std::span<const TimedSample> samples, Ordered ordered,
           const TuneOptions& options) {
    std::vector<LatencySample> own = samples_of(samples, part);
    if (ordered != Ordered::by_latency) part.correlation = correlation_time(own);
    TuningOptions tuning = tuning_options(options);
    tuning.correlation = part.correlation;
    const Latencies latencies{std::move(own)};
    part.cut_off = latencies.cut_off();
    part.tuning = tune(latencies, tuning);
}

template <class Carries>
double share_in(const std::vector<Part>& parts, Carries carries) {
    double inside = 0, all = 0;
    for (const Part& part : parts) {
        all += static_cast<double>(part.count);
        if (carries(part)) inside += static_cast<double>(part.count);
    }
    return all > 0 ? inside / all : 0;
}

// How the samples could be cut; shortest stretches first.
struct Cut {
    Duration width{};
    std::vector<Part> parts{};
};

std::vector<Cut> cuts_of(std::span<const TimedSample> samples, Ordered ordered, double least) {
    std::vector<Cut> cuts;
    if (ordered == Ordered::by_time) {
        for (const Duration width : widths)
            if (Cut cut{width, cut_by_time(samples, width)}; cut.parts.size() <= most_blocks)
                cuts.push_back(std::move(cut));
    } else if (ordered == Ordered::by_file) {
        const double most = static_cast<double>(samples.size()) / least;
        for (auto count = std::min(static_cast<std::size_t>(most), most_stretches); count > 1;
             count /= 2)
            cuts.push_back({{}, cut_evenly(samples.size(), count)});
    }
    return cuts;
}

// ln x! for x >= 0, whole or not, by Stirling's series; the library's lgamma writes to a global.
double log_factorial(double x) {
    double shifted = 0;
    for (x += 1; x < 10; ++x) shifted += std::log(x);
    const double half_log_two_pi = 0.918938533204672742;
    return (x - 0.5) * std::log(x) - x + half_log_two_pi + 1 / (12 * x) - 1 / (360 * x * x * x) -
           shifted;
}

// The chance that of so many events at least `seen` fall into a stretch that holds this share of
// the samples.
double chance_of(double seen, double events, double share) {
    if (seen <= events * share || share >= 1) return 1;
    double term =
        std::exp(log_factorial(events) - log_factorial(seen) - log_factorial(events - seen) +
                 seen * std::log(share) + (events - seen) * std::log1p(-share));
    double sum = 0;
    for (double i = seen; i <= events && term > sum * 1e-12; ++i) {
        sum += term;
        term *= (events - i) / (i + 1) * share / (1 - share);
    }
    return std::min(sum, 1.0);
}

bool has_enough(const Part& part) { return part.tuning.verdict != TuningVerdict::too_few; }

// Chooses among the cuts.
class Choice {
public:
    Choice(std::span<const TimedSample> samples, const TuneOptions& options, const Blocks& blocks)
        : samples_{samples},
          options_{options},
          ordered_{blocks.ordered},
          usual_{blocks.whole.tuning.percentile.value_or(never)},
          above_{above(blocks.whole)} {}

    // Whether nearly all samples lie in parts of at least this size that carry the statement.
    bool carries(Cut& cut, double size) const {
        const auto large = [&](const Part& part) {
            return static_cast<double>(part.count) >= size;
        };
        if (share_in(cut.parts, large) < enough) return false;
        for (Part& part : cut.parts)
            if (part.tuning.reason.empty()) judge(part, samples_, ordered_, options_);
        return share_in(cut.parts, has_enough) >= enough;
    }

    // Marks the parts in which more lie above the usual quantile than chance explains, with so many
    // parts to look at: the more of them, the unluckier one is. Whether one of them can be judged.
    bool mark_bad(std::vector<Part>& parts, std::size_t looked_at) const {
        const double repeated = usual_correlation(parts);
        for (Part& part : parts) {
            const double seen = std::floor(above(part) / repeated);
            const double events = std::max(seen, std::ceil(above_ / repeated));
            const double share =
                static_cast<double>(part.count) / static_cast<double>(samples_.size());
            part.worse = chance_of(seen, events, share) * static_cast<double>(looked_at) < doubt;
        }
        return std::ranges::any_of(parts,
                                   [](const Part& part) { return part.worse && has_enough(part); });
    }

private:
    // The median: in a bad part neighbours are alike because it is bad, which must not excuse it.
    static double usual_correlation(const std::vector<Part>& parts) {
        std::vector<double> all;
        for (const Part& part : parts) all.push_back(part.correlation);
        std::ranges::sort(all);
        return all.empty() ? 1 : all[all.size() / 2];
    }

    // What was cut off counts: it may have gone on above any quantile.
    [[nodiscard]] double above(const Part& part) const {
        const auto own = samples_.subspan(part.first, part.count);
        return static_cast<double>(std::ranges::count_if(own, [&](const TimedSample& timed) {
            return timed.sample.latency > usual_ || timed.sample.ending == Ending::cut_off;
        }));
    }

    std::span<const TimedSample> samples_;
    const TuneOptions& options_;
    Ordered ordered_;
    Duration usual_;
    double above_;
};

// The shortest stretches of which one is truly worse than the rest. Where none is, longer ones, to
// be shown; none of them decides. Else everything is one block.
void choose_blocks(Blocks& blocks, std::span<const TimedSample> samples,
                   const TuneOptions& options) {
    blocks.all = {blocks.whole};
    if (samples.empty()) return;
    const auto least =
        static_cast<double>(blocks.whole.tuning.samples_needed) / blocks.whole.correlation;
    const Choice choice{samples, options, blocks};
    std::vector<Cut> cuts = cuts_of(samples, blocks.ordered, least);
    std::size_t parts = 0;
    for (const Cut& cut : cuts) parts += cut.parts.size();
    const auto take = [&](Cut& cut) {
        blocks.width = cut.width;
        blocks.all = std::move(cut.parts);
    };
    // Asked before judging, which is the dear part, and again with what judging has found out about
    // neighbours that repeat each other.
    for (Cut& cut : cuts)
        if (choice.mark_bad(cut.parts, parts) && choice.carries(cut, least) &&
            choice.mark_bad(cut.parts, parts))
            return take(cut);
    for (const double size : {steady / options.false_timeouts, least})
        for (Cut& cut : cuts)
            if (choice.carries(cut, size)) return take(cut);
}

// Where the tail was cut off, nobody knows how long it is.
std::optional<std::size_t> worst_of(const std::vector<Part>& parts) {
    const auto asks_for = [](const Part& part) {
        return part.tuning.verdict == TuningVerdict::cut_off ? never
                                                             : part.tuning.timeout.value_or(0ns);
    };
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].worse && has_enough(parts[i]) &&
            (!worst || asks_for(parts[i]) > asks_for(parts[*worst])))
            worst = i;
    return worst;
}

void cut_as_told(Blocks& blocks, std::span<const TimedSample> samples, const TuneOptions& options) {
    blocks.width = options.block;
    blocks.all = cut_by_time(samples, options.block);
    for (Part& part : blocks.all) judge(part, samples, blocks.ordered, options);
    Choice{samples, options, blocks}.mark_bad(blocks.all, blocks.all.size());
}

// Beside a block that decides, everything pooled is there for contrast only, as if its samples were
// independent: a block in which the bad time begins would say that they are worth little.
void judge_by_blocks(Blocks& blocks, std::span<const TimedSample> samples,
                     const TuneOptions& options) {
    Part& whole = blocks.whole;
    whole.correlation =
        blocks.worst ? 1 : std::ranges::max(blocks.all, {}, &Part::correlation).correlation;
    TuningOptions tuning = tuning_options(options);
    tuning.correlation = whole.correlation;
    whole.tuning = tune(Latencies{samples_of(samples, whole)}, tuning);
}

}  // namespace

std::vector<LatencySample> samples_of(std::span<const TimedSample> samples, const Part& part) {
    std::vector<LatencySample> own;
    own.reserve(part.count);
    for (const TimedSample& sample : samples.subspan(part.first, part.count))
        own.push_back(sample.sample);
    return own;
}

TuningOptions tuning_options(const TuneOptions& options) {
    return {.timeout = {.false_timeouts = options.false_timeouts,
                        .confidence = options.confidence,
                        .network = options.network},
            .worst_round_trip = options.worst_round_trip};
}

Blocks blocks_of(std::span<const TimedSample> samples, const TuneOptions& options) {
    Blocks blocks;
    blocks.ordered = order_of(samples, options);
    blocks.whole = {.label = "all samples", .count = samples.size()};
    if (!samples.empty()) blocks.whole.from = samples.front().at;
    judge(blocks.whole, samples, blocks.ordered, options);
    if (options.block > Duration::zero()) cut_as_told(blocks, samples, options);
    else choose_blocks(blocks, samples, options);
    blocks.worst = worst_of(blocks.all);
    if (blocks.all.size() > 1 && !has_enough(blocks.whole))
        judge_by_blocks(blocks, samples, options);
    blocks.kind = blocks.all.size() == 1            ? "one block"
                  : blocks.width > Duration::zero() ? "blocks of " + short_words(blocks.width)
                                                    : "equal stretches of the file";
    return blocks;
}

}  // namespace tool
