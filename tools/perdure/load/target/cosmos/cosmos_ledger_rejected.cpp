// SPDX-License-Identifier: Apache-2.0
//
// What was rejected: an item for each, beside the entry. They count once their range does.
#include <algorithm>
#include <functional>

#include "load/target/cosmos/cosmos_ledger.hpp"
#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/cosmos/upsert_item.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using cosmos::PartitionKey;

namespace {

constexpr int page_of_records = 100;

bool covered(const std::vector<Range>& ranges, std::uint64_t offset) {
    auto behind = std::ranges::upper_bound(ranges, offset, {}, &Range::begin);
    return behind != ranges.begin() && offset < (--behind)->end;
}

cosmos::Query of_load(const cosmos::ContainerName& books, const std::string& load,
                      const std::string& generation, const std::string& text) {
    return cosmos::Query{books, text}.with("@generation", generation).in(PartitionKey{load});
}

}  // namespace

// An overtaken load that comes late with these does no harm: who took over rejects the same records.
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

// An earlier run may have rejected what is not rejected now, and have ended before it counted. Nobody had
// taken over when these were found, since nobody has afterwards; so none of them is a successor's, and one
// that a successor has written since is another version.
Result<void> CosmosLedger::clear_unfinished(Held& held, const std::string& load,
                                            const Range& range) {
    PERDURE_TRY_VALUE(const auto found, rejected_in(load, held.generation, range.begin, range.end));
    if (found.empty()) return {};
    {
        const std::lock_guard lock{held.mutex};
        PERDURE_TRY(refresh(held));
    }
    return remove(load, found);
}

Result<std::vector<CosmosLedger::Version>> CosmosLedger::rejected_in(const std::string& load,
                                                                     const std::string& generation,
                                                                     std::uint64_t begin,
                                                                     std::uint64_t end) {
    cosmos::Query query =
        of_load(books_, load, generation,
                "SELECT c.id, c._etag FROM c WHERE c.kind = 'rejected' AND c.generation "
                "= @generation AND c.at >= @from AND c.at < @to");
    query.with("@from", begin).with("@to", end);
    auto found = pages(client_, std::move(query));
    std::vector<Version> versions;
    for (Result<cosmos::Page>& page : found) {
        if (!page) return page.take_failure();
        for (const std::string& json : page->documents) {
            const cosmos::Document item{json};
            versions.push_back({item.id().value_or(""), item.etag().value_or("")});
        }
    }
    return versions;
}

Result<void> CosmosLedger::remove(const std::string& load, const std::vector<Version>& some) {
    for (const Version& one : some) {
        auto gone =
            client_.send(cosmos::DeleteItem{books_, one.id, PartitionKey{load}}.if_match(one.etag));
        if (gone) continue;
        const Cause why = gone.error().cause;
        if (why != Cause::conflict && why != Cause::not_found) return gone.take_failure();
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
