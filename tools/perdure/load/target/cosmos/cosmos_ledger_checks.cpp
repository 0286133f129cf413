// SPDX-License-Identifier: Apache-2.0
//
// Why a load cannot begin, or not go on as it is: something stands in the ledger's place, an input has a
// name that is no key, or its records would get other ids than when its load began.
#include <algorithm>

#include "load/source/json_record.hpp"
#include "load/target/cosmos/cosmos_ledger.hpp"
#include "load/target/cosmos/cosmos_rows.hpp"
#include "load/target/invalid_load.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/ensure.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// With the container it is a key of at most 2048.
constexpr std::size_t longest_cosmos_source = 1700;

std::string how_begun(const std::string& ids_from) {
    if (ids_from.empty())
        return "this input was begun without --key, and ids are made of the records' places: leave "
               "--key out";
    if (ids_from == item_id_name)
        return "this input was begun with the field 'id' for the ids of its records: load it as it "
               "was";
    return "this input was begun with --key " + ids_from + ": give it again";
}

}  // namespace

Result<void> CosmosLedger::open() {
    auto made =
        cosmos::ensure_container(client_, cosmos::CreateContainer{books_, {cosmos_ledger_path}});
    if (made) return {};
    if (made.error().code != "other-key") return made.take_failure();
    return fail(
        invalid_load("ledger-in-the-way",
                     "the container '" + books_.container + "' in database '" + books_.database +
                         "' is where loads keep their ledger, and somebody made it with another "
                         "partition key than " +
                         cosmos_ledger_path +
                         ": delete it or move what is in it, or load into another database"));
}

Result<std::string> CosmosLedger::load_of(std::string_view source) const {
    if (source.size() > longest_cosmos_source)
        return fail(invalid_load("name-too-long",
                                 "the name of this input is too long for a key of Cosmos DB: "
                                 "give it a shorter one by --as"));
    if (!is_utf8(source))
        return fail(invalid_load("name-not-utf8",
                                 "the name of this input is not UTF-8, as a key of Cosmos DB "
                                 "has to be: give it another one by --as"));
    return data_.container + '#' + std::string{source};
}

Result<void> CosmosLedger::agree(const CosmosEntry& known) const {
    if (known.id_from.value_or(ids_from_) == ids_from_) return {};
    return fail(invalid_load("other-ids",
                             how_begun(*known.id_from) +
                                 ", or empty the container and begin again with --again. Under other "
                                 "ids records would be written a second time"));
}

Result<void> CosmosLedger::check_begun(std::string_view source) {
    PERDURE_TRY_VALUE(const auto known, read(source));
    return known ? agree(*known) : Result<void>{};
}

// By the ledger, or by the marks in a batch that was never noted.
Result<bool> CosmosLedger::left_records(const CosmosEntry& known) {
    const bool noted = std::ranges::any_of(
        known.ranges, [](const Range& one) { return one.written + one.present > 0; });
    if (noted) return finds_any(cosmos::Query{data_, "SELECT c.id FROM c"});
    const std::string mark = "c." + std::string{cosmos::usual_marker};
    return finds_any(cosmos::Query{data_, "SELECT c.id FROM c WHERE " + mark + " >= @from AND " +
                                              mark + " < @to"}
                         .with("@from", known.generation + ':')
                         .with("@to", known.generation + ';'));
}

Result<bool> CosmosLedger::finds_any(cosmos::Query query) {
    auto found = pages(client_, std::move(query).page_size(1));
    for (Result<cosmos::Page>& page : found) {
        if (!page) return page.take_failure();
        if (!page->documents.empty()) return true;
    }
    return false;
}

}  // namespace tool::load
