// SPDX-License-Identifier: Apache-2.0
//
// What has been dealt with, and what was rejected.
#include <algorithm>
#include <functional>

#include "load/target/dynamodb/dynamodb_ledger.hpp"
#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/ledger_ranges.hpp"
#include "perdure/dynamodb/batch_write.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/query.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using dynamodb::DeleteItem;
using dynamodb::Item;
using dynamodb::Page;
using dynamodb::PutItem;
using dynamodb::Query;
using dynamodb::TransactWrite;

namespace {

// A transaction has 100 actions: the check of the fence, the sum in the place of the first, and these.
constexpr std::size_t most_joined = 99;

Query with_prefix(const std::string& id, const std::string& prefix) {
    return Query{dynamodb_books}
        .key("#id = :id AND begins_with(#at, :at)")
        .name("#id", "id")
        .name("#at", "at")
        .value(":id", id)
        .value(":at", prefix);
}

}  // namespace

Result<std::vector<Range>> DynamoLedger::ranges(const std::string& id, std::string_view from,
                                                std::string_view to) {
    auto found = pages(client_, Query{dynamodb_books}
                                    .key("#id = :id AND #at BETWEEN :from AND :to")
                                    .name("#id", "id")
                                    .name("#at", "at")
                                    .value(":id", id)
                                    .value(":from", from)
                                    .value(":to", to)
                                    .consistent());
    std::vector<Range> ranges;
    for (Result<Page>& page : found) {
        if (!page) return page.take_failure();
        for (const Item& item : page->items) {
            PERDURE_TRY_VALUE(const Range range, read_range(item));
            ranges.push_back(range);
        }
    }
    PERDURE_TRY(check_apart(ranges));
    return ranges;
}

Result<std::vector<Range>> DynamoLedger::done(std::string_view source) {
    PERDURE_TRY_VALUE(const auto generation, generation_of(source));
    if (!generation) return std::vector<Range>{};
    PERDURE_TRY_VALUE(const std::string id, id_of(source));
    const std::string prefix = range_prefix(*generation);
    return ranges(id, place_name(prefix, 0), place_name(prefix, UINT64_MAX));
}

// In steps of which each leaves the ledger right, however few are taken.
Result<void> DynamoLedger::merge(std::string_view source, std::uint64_t begin, std::uint64_t end) {
    const auto held = hold(source);
    if (!held || end <= begin) return {};
    const std::string prefix = range_prefix(held->generation_);
    PERDURE_TRY_VALUE(std::vector<Range> within,
                      ranges(held->id_, place_name(prefix, begin), place_name(prefix, end - 1)));
    std::erase_if(within, [&](const Range& range) { return range.end > end; });
    if (within.size() < 2) return {};
    PERDURE_TRY(joined(within));  // before anything is written
    while (within.size() > 1) {
        const std::size_t some = std::min(most_joined, within.size());
        const auto first = std::span{within}.first(some);
        PERDURE_TRY_VALUE(const Range sum, joined(first));
        auto done = join(*held, first);
        // Then they are for whoever goes on with the input to join.
        if (!done && done.error().code == "taken") return {};
        if (!done) return done;
        within.erase(within.begin() + 1, within.begin() + static_cast<std::ptrdiff_t>(some));
        within.front() = sum;
    }
    return {};
}

Result<void> DynamoLedger::join(const Hold& hold, std::span<const Range> ranges) {
    PERDURE_TRY_VALUE(const Range sum, joined(ranges));
    const std::string prefix = range_prefix(hold.generation_);
    Item item = hold.key(place_name(prefix, sum.begin));
    write_range(sum, item);
    TransactWrite joining;
    hold.check(joining);
    joining.put(PutItem{dynamodb_books, std::move(item)}
                    .condition("#end = :end")
                    .name("#end", "end")
                    .value(":end", ranges.front().end));
    for (const Range& range : ranges.subspan(1))
        joining.remove(DeleteItem{dynamodb_books, hold.key(place_name(prefix, range.begin))});
    dynamodb::ServiceError said;
    auto done = client_.send(joining, {.error = &said});
    if (done) return {};
    if (refused(said, 0)) return fail(not_held());
    return done.take_failure();
}

Result<void> DynamoLedger::sweep(const std::string& id, const std::string& prefix) {
    auto found = pages(client_, with_prefix(id, prefix).projection("#id, #at").consistent());
    for (Result<Page>& page : found) {
        if (!page) return page.take_failure();
        if (page->items.empty()) continue;
        dynamodb::BatchWrite removing{dynamodb_books, {"id", "at"}};
        for (Item& key : page->items) removing.remove(std::move(key));
        auto report = dynamodb::batch_write(client_, removing);
        if (!report.complete()) return fail(std::move(report.leftovers.front().failure));
    }
    return {};
}

Result<void>
DynamoLedger::rejections(std::string_view source,
                         const std::function<Result<void>(const KeptRejection&)>& each) {
    PERDURE_TRY_VALUE(const auto known, read_entry(source));
    if (!known) return {};
    PERDURE_TRY_VALUE(const std::string id, id_of(source));
    auto found = pages(client_, with_prefix(id, rejected_prefix(known->generation)).consistent());
    for (Result<Page>& page : found) {
        if (!page) return page.take_failure();
        for (const Item& item : page->items) {
            PERDURE_TRY_VALUE(KeptRejection kept, read_rejection(item));
            kept.header = known->source.header;
            PERDURE_TRY(each(kept));
        }
    }
    return {};
}

}  // namespace tool::load
