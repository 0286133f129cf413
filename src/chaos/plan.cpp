// SPDX-License-Identifier: Apache-2.0
#include "perdure/chaos/plan.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

constexpr std::array<std::string_view, fault_count> names{
    "delay",         "drip",       "reset_before", "reset_after", "swallow_reply",
    "half_open",     "black_hole", "refuse",       "close_after", "inject",
    "cut_at_marker", "rewrite",    "replace_reply"};

constexpr std::size_t most_rules = 100;
constexpr std::size_t longest_marker = 4096;

bool unprintable(std::string_view text) {
    return text.find_first_of(std::string_view{"\r\n\0", 3}) != std::string_view::npos;
}

bool token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
    });
}

// Collects what is wrong with one rule.
class Check {
public:
    Check(const Rule& rule, Protocol protocol) : rule_{rule}, protocol_{protocol} {}

    std::vector<std::string> problems() && {
        match();
        times();
        injected();
        marker();
        rewritten();
        return std::move(problems_);
    }

private:
    [[nodiscard]] bool is(Fault fault) const { return rule_.fault == fault; }
    void must(bool holds, const char* words) {
        if (!holds) problems_.emplace_back(words);
    }

    void match() {
        const Match& match = rule_.match;
        must(match.probability >= 0 && match.probability <= 1,
             "the probability is a number from 0 to 1");
        must(match.from >= 1 && match.from <= match.to,
             "`from` counts from 1 on and is not above `to`");
        must(match.every_nth >= 1, "`every_nth` is at least 1");
        must(match.method.empty() || token(match.method), "the method is one word, such as POST");
        const bool words = !match.method.empty() || !match.path.empty() || !match.header.empty() ||
                           !match.body.empty();
        must(!words || protocol_ == Protocol::http,
             "method, path, header and body are of HTTP; on a TCP link only numbers choose");
        must(!words || !is(Fault::refuse),
             "a connection is refused before a request is read: only numbers choose");
    }

    void times() {
        must(rule_.delay >= Duration::zero() && rule_.jitter >= Duration::zero() &&
                 rule_.closed_for >= Duration::zero() && rule_.open_for >= Duration::zero(),
             "time only goes forward: `delay`, `jitter`, `closed_for` and `open_for` are not "
             "negative");
        must(!is(Fault::delay) || rule_.delay + rule_.jitter > Duration::zero(),
             "a delay says how long: `delay`, `jitter` or both");
        must(rule_.delay <= 24h && rule_.jitter <= 24h, "a delay is at most a day");
        must(!is(Fault::drip) || (rule_.delay > Duration::zero() && rule_.bytes > 0),
             "a drip has `bytes` in one piece and a `delay` between two");
        must(rule_.closed_for == Duration::zero() || is(Fault::refuse),
             "`closed_for` is for refuse");
        must(rule_.part == Part::whole || protocol_ == Protocol::http,
             "a TCP link has no body that could be told from the rest");
    }

    void injected() {
        if (!is(Fault::inject) && !is(Fault::replace_reply)) return;
        must(is(Fault::inject) || protocol_ == Protocol::http,
             "only an HTTP reply can be replaced: where one of TCP ends, nobody knows");
        must(rule_.status >= 200 && rule_.status <= 999, "the status is from 200 to 999");
        must(protocol_ == Protocol::http || rule_.headers.empty(),
             "on a TCP link the body alone is sent: leave the headers out");
        for (const auto& [name, value] : rule_.headers)
            must(token(name) && !unprintable(value),
                 "a header's name is one word, and its value one line");
    }

    void marker() {
        if (!is(Fault::cut_at_marker)) return;
        must(!rule_.marker.empty(), "a cut needs its `marker`, such as COMMIT");
        must(rule_.marker.size() <= longest_marker, "a marker has at most 4096 bytes");
        must(protocol_ == Protocol::tcp ||
                 (rule_.when != When::answered && rule_.then == Then::reset && rule_.delay == 0ns),
             "`answered`, `then` and `delay` of a cut are of TCP links");
        must(rule_.delay == 0ns || (rule_.when == When::after && rule_.then != Then::swallow),
             "a cut's `delay` holds back what is passed on: it goes with `after`");
        must(rule_.open_for == 0ns || rule_.then == Then::half_open, "`open_for` is for half_open");
        must(rule_.when != When::answered || toward_server(),
             "`answered` is for markers toward the server");
    }

    void rewritten() {
        if (!is(Fault::rewrite)) return;
        const Rewrite& rewrite = rule_.rewrite;
        must(protocol_ == Protocol::http, "only HTTP is rewritten");
        must(rewrite.header.empty() || token(rewrite.header), "a header's name is one word");
        must(rewrite.header.empty() || !unprintable(rewrite.replace),
             "a header's value is one line");
    }

    [[nodiscard]] bool toward_server() const {
        return rule_.toward.value_or(Toward::server) == Toward::server;
    }

    const Rule& rule_;
    const Protocol protocol_;
    std::vector<std::string> problems_;
};

}  // namespace

std::string_view to_string(Fault fault) noexcept { return names[static_cast<std::size_t>(fault)]; }

std::optional<Fault> fault_named(std::string_view name) noexcept {
    for (std::size_t i = 0; i < fault_count; ++i)
        if (std::ranges::equal(name, names[i],
                               [](char a, char b) { return (a == '-' ? '_' : a) == b; }))
            return static_cast<Fault>(i);
    return {};
}

std::string name_of(const Rule& rule) {
    return rule.name.empty() ? std::string{to_string(rule.fault)} : rule.name;
}

std::vector<std::string> validate(const Rule& rule, Protocol protocol) {
    return Check{rule, protocol}.problems();
}

std::vector<std::string> validate(const Plan& plan) {
    if (plan.rules.size() > most_rules) return {"a plan has at most 100 rules"};
    std::vector<std::string> problems;
    for (std::size_t i = 0; i < plan.rules.size(); ++i)
        for (const std::string& problem : validate(plan.rules[i], plan.protocol))
            problems.push_back("rule " + std::to_string(i + 1) + " (" + name_of(plan.rules[i]) +
                               "): " + problem);
    return problems;
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
