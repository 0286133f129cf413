// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/pages.hpp"

#include "item_body.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"
#include "query_plan.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Splits come minutes apart; who finds the ranges old so often in a row is told something else than he
// needs.
constexpr int most_moves = 10;

Fail no_position(std::string_view why) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-position",
                 .message = "the position of a walk cannot be read: " + std::string{why}});
}

// What one answer of the gateway says about all partitions is of no use to the walk from one to the next.
Result<void> check_start(const Query& query) {
    if (query.has_place() || query.continuation().empty()) return {};
    return fail(invalid_request("a walk through all partitions goes on by from(position)"));
}

}  // namespace

Pages::Pages(Client& client, Query query, CallOptions options)
    : client_{&client}, query_{std::move(query)}, options_{std::move(options)} {
    left_.push_back({.keys = {}, .continuation = query_.continuation()});
}

Result<std::optional<Page>> Pages::next() {
    PERDURE_TRY(check_start(query_));
    while (!ended()) {
        if (needs_plan()) {
            const auto charge = client_->send(QueryPlan{query_}, options_);
            if (!charge) return fail(charge.error());
            learn_plan(*charge);
        }
        if (needs_ranges()) {
            auto ranges = client_->ranges(query_.container(), options_, ranges_);
            if (!ranges) return ranges.take_failure();
            learn_ranges(*std::move(ranges));
        }
        auto page = client_->send(asking(), options_);
        if (learn(page) == Then::again) continue;
        if (!page) return page.take_failure();
        std::optional<Page> one{*std::move(page)};
        return one;
    }
    return std::optional<Page>{};
}

Task<Result<std::optional<Page>>> Pages::start_next() {
    if (auto fine = check_start(query_); !fine) co_return fine.take_failure();
    while (!ended()) {
        if (needs_plan()) {
            auto planning = client_->start(QueryPlan{query_}, options_);
            auto charge = co_await planning;
            if (!charge) co_return charge.take_failure();
            learn_plan(*charge);
        }
        if (needs_ranges()) {
            auto looking = client_->start_ranges(query_.container(), options_, ranges_);
            auto ranges = co_await looking;
            if (!ranges) co_return ranges.take_failure();
            learn_ranges(*std::move(ranges));
        }
        auto asking_now = client_->start(asking(), options_);
        auto page = co_await asking_now;
        if (learn(page) == Then::again) continue;
        if (!page) co_return page.take_failure();
        std::optional<Page> one{*std::move(page)};
        co_return one;
    }
    co_return std::optional<Page>{};
}

void Pages::advance() {
    now_.reset();
    if (failed_) return;
    auto page = next();
    if (!page) {
        failed_ = true;
        now_.emplace(page.take_failure());
    } else if (*page) {
        now_.emplace(**std::move(page));
    }
}

void Pages::learn_plan(double charge) noexcept {
    planned_ = true;
    charge_of_plan_ = charge;
}

void Pages::learn_ranges(Client::Ranges ranges) {
    ranges_ = std::move(ranges);
    fresh_ = true;
}

// The first span shrinks to what one range has of it; each part goes on where the whole was.
Query Pages::asking() {
    Query query = query_;
    if (query_.has_place()) return query.after(left_.front().continuation);
    const Span whole = left_.front();
    const auto parts = ranges_->overlapping(whole.keys.min, whole.keys.max);
    const PartitionRange& range = parts.empty() ? ranges_->at(whole.keys.min) : parts.front();
    if (parts.size() > 1) {
        left_.front().keys.max = range.max;
        Span rest = whole;
        rest.keys.min = range.max;
        left_.insert(left_.begin() + 1, std::move(rest));
    }
    const Span& first = left_.front();  // which inserting may have moved
    std::optional<EffectiveRange> part;
    if (first.keys.min != range.min || first.keys.max != range.max) part = first.keys;
    return query.in_range(range.id, std::move(part)).after(first.continuation);
}

Pages::Then Pages::learn(Result<Page>& page) {
    if (page) {
        moved_ = 0;
        page->charge += std::exchange(charge_of_plan_, 0);
        if (page->next.empty()) left_.erase(left_.begin());
        else left_.front().continuation = page->next;
        return Then::give;
    }
    if (page.error().cause != Cause::stale_route || query_.has_place()) return Then::give;
    fresh_ = false;
    return ++moved_ <= most_moves ? Then::again : Then::give;
}

std::string Pages::position() const {
    std::string json = "{\"left\":[";
    for (const Span& span : left_) {
        if (&span != &left_.front()) json += ',';
        json += "{\"min\":";
        append_json_text(json, span.keys.min);
        json += ",\"max\":";
        append_json_text(json, span.keys.max);
        json += ",\"next\":";
        append_json_text(json, span.continuation);
        json += '}';
    }
    return json + "]}";
}

Result<void> Pages::from(std::string_view position) {
    const auto spans = documents_of(position, "left");
    if (!spans) return no_position("it is no text of position()");
    std::vector<Span> left;
    std::string behind{least_effective_key};
    for (const std::string_view text : *spans) {
        const Document document{text};
        auto min = document.string_at("/min");
        auto max = document.string_at("/max");
        auto next = document.string_at("/next");
        if (!min || !max || !next) return no_position("something is missing");
        if (*min < behind || *max <= *min || *max > end_of_effective_keys)
            return no_position("its keys are out of order");
        behind = *max;
        Span span;
        span.keys.min = *std::move(min);
        span.keys.max = *std::move(max);
        span.continuation = *std::move(next);
        left.push_back(std::move(span));
    }
    left_ = std::move(left);
    moved_ = 0;
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
