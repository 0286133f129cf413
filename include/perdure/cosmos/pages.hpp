// SPDX-License-Identifier: Apache-2.0
//
// How do I walk through everything a query has to give, in one partition or in all of them?
//
//     auto found = pages(shop, Query{{"shop", "orders"}, "SELECT * FROM c WHERE c.open"},
//                        {.deadline = Deadline::in(30s, now)});
//     for (Result<Page>& page : found) {
//         if (!page) return page.take_failure();      // the last one of the range
//         for (std::string& json : page->documents) …
//     }
//
// Without a partition key the physical partitions are walked through one after the other, in the order of
// their keys; when one is split or merged on the way, the walk goes on with what is left of it. A partition
// by itself would also sort or count, only not for all of them; so the service is asked for its plan first,
// and a query that needs more than a plain selection is refused. Each page
// is a call of its own, with the plan's attempts and deadline. The deadline in the options is one moment
// for the whole walk. After a failure next() tries the same page; position() lets another walk, perhaps
// of another process, go on here.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/query.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Used by one thread or coroutine at a time; the client and what the options refer to outlive it.
class Pages {
public:
    Pages(Client& client, Query query, CallOptions options);

    // Nothing: the last page has been given.
    Result<std::optional<Page>> next();
    // The same for coroutines; must outlive the task.
    [[nodiscard]] Task<Result<std::optional<Page>>> start_next();

    // Whether the last page has been given. A failure is no end.
    [[nodiscard]] bool ended() const noexcept { return left_.empty(); }
    // Where the walk stands, as text to be kept; with the same query it can go on from there. The failure
    // is `invalid`, "invalid-position".
    [[nodiscard]] std::string position() const;
    Result<void> from(std::string_view position);

    // Over the pages that are left, once: to the last page or the first failure, which belongs to it.
    class Iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = Result<Page>;
        using difference_type = std::ptrdiff_t;

        explicit Iterator(Pages& pages) : pages_{&pages} {}

        Result<Page>& operator*() const { return *pages_->now_; }
        Result<Page>* operator->() const { return &**this; }
        Iterator& operator++() {
            pages_->advance();
            return *this;
        }
        void operator++(int) { ++*this; }
        [[nodiscard]] bool at_end() const noexcept { return !pages_->now_; }
        friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept {
            return at.at_end();
        }

    private:
        Pages* pages_;
    };

    // Asks for a page.
    [[nodiscard]] Iterator begin() {
        failed_ = false;
        advance();
        return Iterator{*this};
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    // What is left of the keys, and where in it to go on.
    struct Span {
        EffectiveRange keys{};
        std::string continuation{};
    };
    enum class Then : std::uint8_t { give, again };

    void advance();
    [[nodiscard]] bool needs_plan() const noexcept { return !query_.has_place() && !planned_; }
    void learn_plan(double charge) noexcept;
    [[nodiscard]] bool needs_ranges() const noexcept { return !query_.has_place() && !fresh_; }
    void learn_ranges(Client::Ranges ranges);
    [[nodiscard]] Query asking();
    Then learn(Result<Page>& page);

    Client* client_;
    Query query_;
    CallOptions options_;
    std::vector<Span> left_;   // in order, a few; the first is being walked through
    Client::Ranges ranges_{};  // the newest seen
    bool planned_ = false;     // it can be answered partition by partition
    double charge_of_plan_ = 0;
    bool fresh_ = false;   // nothing says yet that they are old
    int moved_ = 0;        // times in a row that the ranges were old
    bool failed_ = false;  // the range is over, the walk is not
    std::optional<Result<Page>> now_{};
};

[[nodiscard]] inline Pages pages(Client& client, Query query, CallOptions options = {}) {
    return {client, std::move(query), std::move(options)};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
