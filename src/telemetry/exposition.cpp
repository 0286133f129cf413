// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "perdure/call/json_text.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// What cannot stand there becomes a mark and its number: two names must not become one.
std::string marked(char byte) {
    std::array<char, 8> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    return std::string{replacement_character} + digits.data();
}

std::string escaped(std::string_view value) {
    std::string out;
    while (!value.empty()) {
        const std::size_t length = valid_character(value);
        const char first = value[0];
        if (first == '\n') out += "\\n";
        else if (length == 0 || static_cast<unsigned char>(first) < 0x20) out += marked(first);
        else if (first == '\\' || first == '"') (out += '\\') += first;
        else out += value.substr(0, length);
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::string number(double value) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%.9g", value);
    return digits.data();
}
double in_seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

std::string label(std::string_view name, std::string_view value) {
    return std::string{name} + "=\"" + escaped(value) + '"';
}
std::string labels_of(const Series& series) {
    return label("peer_service", series.dependency) + ',' + label("operation", series.operation);
}
std::string error_type(std::size_t cause) {
    return ',' + label("error_type", to_string(static_cast<Cause>(cause)));
}

class Text {
public:
    void family(std::string_view name, std::string_view type, std::string_view help) {
        name_ = name;
        ((((out_ += "# HELP ") += name) += ' ') += help) += '\n';
        ((((out_ += "# TYPE ") += name) += ' ') += type) += '\n';
    }
    void sample(const std::string& labels, const std::string& value, std::string_view suffix = {}) {
        ((out_ += name_) += suffix) += '{';
        ((out_ += labels) += "} ") += value;
        out_ += '\n';
    }
    void count(const std::string& labels, std::uint64_t value) {
        if (value > 0) sample(labels, std::to_string(value));
    }
    std::string take() { return std::move(out_); }

private:
    std::string_view name_;
    std::string out_;
};

void write_histogram(Text& text, const std::string& labels, const Histogram& histogram) {
    std::array<std::uint64_t, bucket_count> upto{};
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bucket_count; ++i)
        upto[i] = total += histogram.buckets[i].load(std::memory_order_relaxed);
    if (total == 0) return;
    for (std::size_t i = 0; i < bucket_count; ++i) {
        const std::string bound =
            i < bounds_in_seconds.size() ? number(bounds_in_seconds[i]) : "+Inf";
        text.sample(labels + ',' + label("le", bound), std::to_string(upto[i]), "_bucket");
    }
    text.sample(labels, number(in_seconds(histogram.sum.load(std::memory_order_relaxed))), "_sum");
    text.sample(labels, std::to_string(total), "_count");
}

void write_durations(Text& text, const std::vector<const Series*>& all) {
    static constexpr std::array<std::string_view, outcome_count> outcomes{"success", "failure",
                                                                          "unknown"};
    text.family("perdure_client_operation_duration_seconds", "histogram",
                "Duration of calls, retries and waits included.");
    for (const Series* series : all)
        for (std::size_t i = 0; i < outcome_count; ++i)
            write_histogram(text, labels_of(*series) + ',' + label("outcome", outcomes[i]),
                            series->durations[i]);
}

void write_failures(Text& text, const std::vector<const Series*>& all) {
    text.family("perdure_client_operation_failures_total", "counter",
                "Calls that ended without success, by the last cause and why there was no retry.");
    for (const Series* series : all)
        for (std::size_t cause = 0; cause < cause_count; ++cause)
            for (std::size_t stop = 0; stop < stop_count; ++stop)
                text.count(labels_of(*series) + error_type(cause) + ',' +
                               label("stop", to_string(static_cast<Stop>(stop))),
                           series->failures[cause][stop].load(std::memory_order_relaxed));
}

void write_attempts(Text& text, const std::vector<const Series*>& all) {
    text.family("perdure_client_attempts_total", "counter",
                "Attempts that ended; without error_type: well.");
    for (const Series* series : all) {
        text.count(labels_of(*series), series->attempts_succeeded.load(std::memory_order_relaxed));
        for (std::size_t cause = 0; cause < cause_count; ++cause)
            text.count(labels_of(*series) + error_type(cause),
                       series->attempts_failed[cause].load(std::memory_order_relaxed));
        text.count(labels_of(*series) + ',' + label("error_type", "cut_off"),
                   series->attempts_cut_off.load(std::memory_order_relaxed));
    }
}

void write_counts(Text& text, const std::vector<const Series*>& all) {
    text.family("perdure_client_attempts_overran_total", "counter",
                "Blocking attempts that ended well after their deadline.");
    for (const Series* series : all)
        text.count(labels_of(*series), series->attempts_overran.load(std::memory_order_relaxed));
    text.family("perdure_client_hedges_total", "counter", "Copies sent of slow requests.");
    for (const Series* series : all)
        text.count(labels_of(*series), series->hedges.load(std::memory_order_relaxed));
    text.family("perdure_client_resolver_questions_total", "counter",
                "Times it was asked whether an unknown outcome took effect.");
    for (const Series* series : all)
        text.count(labels_of(*series), series->asked.load(std::memory_order_relaxed));
    text.family("perdure_client_wait_seconds_total", "counter",
                "Time that calls were told to wait between attempts.");
    for (const Series* series : all)
        if (const auto waited = series->waited.load(std::memory_order_relaxed); waited > 0)
            text.sample(labels_of(*series), number(in_seconds(waited)));
}

void write_budgets(Text& text, const std::vector<const DependencyGauges*>& dependencies) {
    text.family("perdure_client_retry_budget_tokens", "gauge",
                "Tokens left in the retry budget at the end of the last call.");
    for (const DependencyGauges* each : dependencies)
        text.sample(label("peer_service", each->name),
                    number(each->budget_milli.load(std::memory_order_relaxed) / 1000.0));
}

}  // namespace

std::string exposition(std::vector<const Series*> all,
                       std::vector<const DependencyGauges*> dependencies) {
    std::ranges::sort(
        all, {}, [](const Series* each) { return std::tie(each->dependency, each->operation); });
    std::ranges::sort(dependencies, {}, &DependencyGauges::name);
    Text text;
    write_durations(text, all);
    write_failures(text, all);
    write_attempts(text, all);
    write_counts(text, all);
    write_budgets(text, dependencies);
    return text.take();
}

}  // namespace v0
}  // namespace perdure
