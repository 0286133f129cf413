// SPDX-License-Identifier: Apache-2.0
//
// What was rejected: an item for each, beside the entry. They count once their range does.
#include <algorithm>

#include "load/cosmos_ledger.hpp"
#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/cosmos/upsert_item.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using cosmos::PartitionKey;
using cosmos::Query;

namespace {

constexpr int page_of_records = 100;

bool covered(const std::vector<Range>& ranges, std::uint64_t offset) {
    auto behind = std::ranges::upper_bound(ranges, offset, {}, &Range::begin);
    return behind != ranges.begin() && offset < (--behind)->end;
}

Query of_load(const cosmos::ContainerName& books, const std::string& load,
              const std::string& generation, const std::string& text) {
    return Query{books, text}.with("@generation", generation).in(PartitionKey{load});
}

}  // namespace

Result<void> CosmosLedger::reject(const std::string& load, const std::string& generation,
                                  const Order& order, std::span<const Rejected> rejected) {
    for (const Rejected& one : rejected) {
        const Slice& slice = order.batch->records[one.record];
        std::string json = rejected_item(load, generation,
                                         {.offset = order.batch->offset(slice),
                                          .line = slice.line,
                                          .reason = one.reason,
                                          .record = std::string{order.batch->text(slice)},
                                          .format = order.batch->format});
        const cosmos::UpsertItem put =
            cosmos::UpsertItem{books_, std::move(json), PartitionKey{load}}.idempotent();
        PERDURE_TRY(client_.send(put));
    }
    return {};
}

// An earlier run may have rejected what is not rejected now, and have ended before it counted.
Result<void> CosmosLedger::clear_rejected(const std::string& load, const std::string& generation,
                                          std::uint64_t begin, std::uint64_t end) {
    Query query = of_load(books_, load, generation,
                          "SELECT c.id FROM c WHERE c.kind = 'rejected' AND c.generation = "
                          "@generation AND c.at >= @from AND c.at < @to");
    query.with("@from", begin).with("@to", end);
    auto found = pages(client_, std::move(query));
    for (Result<cosmos::Page>& page : found) {
        if (!page) return page.take_failure();
        for (const std::string& json : page->documents)
            PERDURE_TRY(client_.send(cosmos::DeleteItem{
                books_, cosmos::Document{json}.id().value_or(""),
                PartitionKey{load}}.idempotent()));
    }
    return {};
}

Result<void>
CosmosLedger::rejections(std::string_view source,
                         const std::function<Result<void>(const KeptRejection&)>& each) {
    PERDURE_TRY_VALUE(const auto known, read(source));
    if (!known) return {};
    PERDURE_TRY_VALUE(const std::string load, load_of(source));
    auto found = pages(client_, of_load(books_, load, known->generation,
                                        "SELECT * FROM c WHERE c.kind = 'rejected' AND "
                                        "c.generation = @generation ORDER BY c.at")
                                    .page_size(page_of_records));
    for (Result<cosmos::Page>& page : found) {
        if (!page) return page.take_failure();
        for (const std::string& json : page->documents) {
            PERDURE_TRY_VALUE(KeptRejection kept, read_rejected_item(json));
            if (!covered(known->ranges, kept.offset)) continue;
            kept.header = known->source.header;
            PERDURE_TRY(each(kept));
        }
    }
    return {};
}

}  // namespace tool::load
