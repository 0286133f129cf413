// SPDX-License-Identifier: Apache-2.0
//
// What does a query or a scan give back at a time, and what can both be told? At most 1 MB is read for
// a page, before the filter: a page may be empty and still not be the last.
//
//     const auto page = orders.send(Query{"orders"}.key("pk = :pk").value(":pk", "o#1").limit(20));
//     if (page && page->next) more = Query{…}.start_after(*page->next);
//
// For all of them: pages.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/dynamodb/clauses.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
struct Page {
    std::vector<Item> items{};
    std::int64_t count = 0;    // of items that passed the filter, also where only counted
    std::int64_t scanned = 0;  // of items that were read
    std::optional<Item>
        next{};  // the key after which the next page begins; nothing: this is the last
    double capacity = 0;
};

// What queries and scans have in common. A plain value.
struct PageClauses {
    std::string index{};
    std::string filter{};
    std::string projection{};
    std::optional<Item> start_after{};
    std::optional<int> limit{};
    bool consistent = false;
    bool count_only = false;
};

// Mixed into both; each setter gives the request back.
template <class R>
class WithPages : public WithPlaceholders<R>, public WithCapacity<R> {
public:
    R& index(std::string name) & {
        clauses_.index = std::move(name);
        return itself();
    }
    R&& index(std::string name) && { return std::move(index(std::move(name))); }
    // What is given back of what was read; what is left out has been paid for.
    R& filter(std::string expression) & {
        clauses_.filter = std::move(expression);
        return itself();
    }
    R&& filter(std::string expression) && { return std::move(filter(std::move(expression))); }
    R& projection(std::string expression) & {
        clauses_.projection = std::move(expression);
        return itself();
    }
    R&& projection(std::string expression) && {
        return std::move(projection(std::move(expression)));
    }
    // So many items are read for a page, at least 1; fewer may pass the filter.
    R& limit(int items) & {
        clauses_.limit = items;
        return itself();
    }
    R&& limit(int items) && { return std::move(limit(items)); }
    // Sees every write that was acknowledged before; not on global indexes.
    R& consistent() & {
        clauses_.consistent = true;
        return itself();
    }
    R&& consistent() && { return std::move(consistent()); }
    // Page::count alone, no items.
    R& count_only() & {
        clauses_.count_only = true;
        return itself();
    }
    R&& count_only() && { return std::move(count_only()); }
    // Goes on where another page ended.
    R& start_after(Item key) & {
        clauses_.start_after = std::move(key);
        return itself();
    }
    R&& start_after(Item key) && { return std::move(start_after(std::move(key))); }

    [[nodiscard]] const PageClauses& clauses() const noexcept { return clauses_; }

protected:
    PageClauses clauses_{};

private:
    friend R;
    WithPages() = default;
    R& itself() noexcept { return static_cast<R&>(*this); }
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
