// SPDX-License-Identifier: Apache-2.0
//
// How do I walk through everything a query, a scan or a list of tables has to give?
//
//     auto found = pages(orders, Query{"orders"}.key("pk = :pk").value(":pk", "c#7"),
//                        {.deadline = Deadline::in(30s, now)});
//     for (Result<Page>& page : found) {
//         if (!page) return page.take_failure();      // the last one of the range
//         for (Item& item : page->items) …
//     }
//
// Each page is a call of its own, with the plan's attempts and the plan's deadline. The deadline in the
// options is one moment for the whole walk, and every page is given it. What was lost on the way can be
// asked for again: after a failure next() tries the same page.
#pragma once

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/scan.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A request whose answer says where the next one begins.
template <class R>
concept Paged = Request<R> && requires(R& request, typename R::Answer& answer) {
    request.start_after(*answer.next);
};

// Used by one thread or coroutine at a time; the client and what the options refer to outlive it.
template <Paged R>
class Pages {
public:
    using Answer = typename R::Answer;

    Pages(Client& client, R request, CallOptions options)
        : client_{&client}, request_{std::move(request)}, options_{std::move(options)} {}

    // Nothing: the last page has been given.
    Result<std::optional<Answer>> next() {
        if (ended_) return std::optional<Answer>{};
        auto page = client_->send(request_, options_);
        return given(std::move(page));
    }
    // The same for coroutines; must outlive the task.
    [[nodiscard]] Task<Result<std::optional<Answer>>> start_next() {
        if (ended_) co_return std::optional<Answer>{};
        auto asking = client_->start(request_, options_);
        auto page = co_await asking;
        co_return given(std::move(page));
    }

    // Whether the last page has been given. A failure is no end.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    // The request for the page that comes next, from which another walk may go on.
    [[nodiscard]] const R& request() const noexcept { return request_; }

    // Over the pages that are left, once: to the last page or the first failure, which belongs to it.
    class Iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = Result<Answer>;
        using difference_type = std::ptrdiff_t;

        explicit Iterator(Pages& pages) : pages_{&pages} {}

        Result<Answer>& operator*() const { return *pages_->now_; }
        Result<Answer>* operator->() const { return &**this; }
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
        now_.reset();
        failed_ = false;
        advance();
        return Iterator{*this};
    }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    void learn(const Result<Answer>& page) {
        if (!page) return;
        if (page->next) request_.start_after(*page->next);
        else ended_ = true;
    }
    Result<std::optional<Answer>> given(Result<Answer> page) {
        learn(page);
        if (!page) return page.take_failure();
        std::optional<Answer> one{*std::move(page)};
        return one;
    }
    void advance() {
        now_.reset();
        if (failed_ || ended_) return;
        auto page = client_->send(request_, options_);
        learn(page);
        failed_ = !page;
        now_.emplace(std::move(page));
    }

    Client* client_;
    R request_;
    CallOptions options_;
    bool ended_ = false;
    bool failed_ = false;  // the range is over, the walk is not
    std::optional<Result<Answer>> now_{};
};

template <Paged R>
[[nodiscard]] Pages<R> pages(Client& client, R request, CallOptions options = {}) {
    return {client, std::move(request), std::move(options)};
}

// The whole table in n parts that may be read side by side, each by its own thread or coroutine; they
// share the deadline. At least 1.
[[nodiscard]] std::vector<Pages<Scan>> segments(Client& client, const Scan& scan, int n,
                                                const CallOptions& options = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
