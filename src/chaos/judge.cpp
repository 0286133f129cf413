// SPDX-License-Identifier: Apache-2.0
#include "chaos/judge.hpp"

#include <algorithm>
#include <utility>

#include "chaos/book.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood; constants by Stafford).
constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

bool star_fits(std::string_view pattern, std::string_view text) noexcept {
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;  // the last star takes one more
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool header_fits(std::string_view wanted, const http::Headers& headers) {
    const std::size_t colon = wanted.find(':');
    const bool any_value = colon == std::string_view::npos;
    const std::string_view value = any_value ? "" : trimmed(wanted.substr(colon + 1));
    const auto fits = [&](const http::Header& one) { return any_value || one.value == value; };
    return std::ranges::any_of(headers.all(trimmed(wanted.substr(0, colon))), fits);
}

bool words_fit(const Match& match, const Sight& sight) {
    if (!match.method.empty() && match.method != sight.method) return false;
    if (!match.path.empty() && !path_fits(match.path, sight.path)) return false;
    if (!match.header.empty() && !header_fits(match.header, sight.headers)) return false;
    return match.body.empty() || sight.body.find(match.body) != std::string_view::npos;
}

}  // namespace

bool path_fits(std::string_view pattern, std::string_view target) noexcept {
    if (!target.starts_with('/')) {
        // "http://host/path", as a proxy is asked; the rules speak of the path.
        const std::size_t host = target.find("://");
        const std::size_t slash =
            host == std::string_view::npos ? host : target.find('/', host + 3);
        if (slash != std::string_view::npos) target = target.substr(slash);
    }
    if (pattern.find('?') == std::string_view::npos) target = target.substr(0, target.find('?'));
    return star_fits(pattern, target);
}

double chance(std::uint64_t seed, std::uint64_t rule, std::uint64_t count,
              std::uint64_t which) noexcept {
    // Odd strides far from each other; scrambling after each makes neighbours independent.
    std::uint64_t x = scramble(seed + 0x9e3779b97f4a7c15U);
    x = scramble(x + (rule + 1) * 0xabc98388fb8fac03U);
    x = scramble(x + count * 0xd1b54a32d192ed03U);
    x = scramble(x + (which + 1) * 0x8cb92ba72f3d8dd7U);
    return static_cast<double>(x >> 11U) * 0x1p-53;
}

Toward toward_of(const Rule& rule) noexcept {
    const bool server = rule.fault == Fault::delay || rule.fault == Fault::cut_at_marker;
    return rule.toward.value_or(server ? Toward::server : Toward::client);
}

Judge::Judge(Plan plan, Book& book)
    : plan_{std::make_shared<const Plan>(std::move(plan))},
      book_{book},
      fitting_(plan_->rules.size()) {
    book_.begin(*plan_);
}

const Rule* Judge::closed_door() const noexcept {
    for (const Rule& rule : plan_->rules) {
        const Match& match = rule.match;
        const bool always = match.from == 1 && match.every_nth == 1 && match.probability >= 1;
        if (rule.fault == Fault::refuse && rule.closed_for > Duration::zero() && always)
            return &rule;
    }
    return nullptr;
}

bool Judge::strikes(std::size_t rule) {
    const Match& match = plan_->rules[rule].match;
    const std::uint64_t count = ++fitting_[rule];
    const bool chosen = count >= match.from && count <= match.to &&
                        (count - match.from) % match.every_nth == 0 &&
                        chance(plan_->seed, rule, count, 0) < match.probability;
    book_.fitted(rule);
    if (chosen) book_.struck(rule);
    return chosen;
}

void Judge::weigh(std::size_t rule, Verdict& verdict) {
    const Rule& one = plan_->rules[rule];
    if (one.fault == Fault::cut_at_marker) return verdict.markers.push_back(rule);
    if (!strikes(rule)) return;
    const std::size_t toward = index(toward_of(one));
    switch (one.fault) {
        case Fault::delay: {
            const double share = chance(plan_->seed, rule, fitting_[rule], 1);
            verdict.delay[toward] += one.delay;
            verdict.delay[toward] += Duration{
                static_cast<Duration::rep>(share * static_cast<double>(one.jitter.count()))};
            return verdict.shaping.push_back(&one);
        }
        case Fault::drip:
            if (!verdict.drip[toward]) verdict.drip[toward] = &one;
            return verdict.shaping.push_back(&one);
        case Fault::rewrite: return verdict.rewrites.push_back(&one);
        default:
            if (!verdict.ending) verdict.ending = &one;
    }
}

Verdict Judge::connection() {
    Verdict verdict{.plan = plan_};
    for (std::size_t i = 0; i < plan_->rules.size(); ++i)
        if (plan_->protocol == Protocol::tcp || plan_->rules[i].fault == Fault::refuse)
            weigh(i, verdict);
    return verdict;
}

Verdict Judge::request(const Sight& sight) {
    Verdict verdict{.plan = plan_};
    for (std::size_t i = 0; i < plan_->rules.size(); ++i)
        if (plan_->rules[i].fault != Fault::refuse && words_fit(plan_->rules[i].match, sight))
            weigh(i, verdict);
    return verdict;
}

bool Judge::sighting(std::size_t rule) { return strikes(rule); }

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
