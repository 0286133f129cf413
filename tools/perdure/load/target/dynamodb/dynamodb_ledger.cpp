// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_ledger.hpp"

#include <algorithm>
#include <utility>

#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/dynamodb/dynamodb_plan.hpp"
#include "load/target/ledger_ranges.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/sql/token.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using dynamodb::DeleteItem;
using dynamodb::Item;
using dynamodb::PutItem;
using dynamodb::TransactWrite;

namespace {

// With table and offset it is a key of at most 2048.
constexpr std::size_t longest_dynamodb_source = 1700;

}  // namespace

bool refused(const dynamodb::ServiceError& error, std::size_t action) {
    return action < error.cancellation.size() &&
           error.cancellation[action].code == "ConditionalCheckFailed";
}

DynamoLedger::DynamoLedger(dynamodb::Client& client, std::string table, int at_once)
    : client_{client},
      table_{std::move(table)},
      holder_{sql::to_string(sql::Token::make())},
      in_use_(static_cast<std::size_t>(at_once)) {}

Result<void> DynamoLedger::open() {
    PERDURE_TRY(dynamodb::ensure_table(client_, dynamodb::CreateTable{dynamodb_books, "id", "at"},
                                       while_it_is_made()));
    return {};
}

Result<std::string> DynamoLedger::id_of(std::string_view source) const {
    if (source.size() > longest_dynamodb_source)
        return fail({.cause = Cause::invalid,
                     .effect = Effect::none,
                     .origin = Origin::application,
                     .code = "name-too-long",
                     .message = "the name of this input is too long for a key of DynamoDB: give "
                                "it a shorter one by --as"});
    return table_ + '#' + std::string{source};
}

Result<std::optional<DynamoLedger::Entry>> DynamoLedger::read_entry(std::string_view source) {
    PERDURE_TRY_VALUE(const std::string id, id_of(source));
    auto got =
        client_.send(dynamodb::GetItem{dynamodb_books, ledger_key(id, "entry")}.consistent());
    if (!got && got.error().code == no_such_table) return std::optional<Entry>{};
    if (!got) return got.take_failure();
    if (!got->item) return std::optional<Entry>{};
    Entry entry;
    entry.source.name = source;
    PERDURE_TRY(read_source(*got->item, entry.source));
    PERDURE_TRY_VALUE(entry.holder, got->item->get<std::string>("holder"));
    PERDURE_TRY_VALUE(entry.generation, got->item->get<std::string>("generation"));
    PERDURE_TRY_VALUE(entry.fences, got->item->get<std::uint64_t>("fences"));
    return std::optional{std::move(entry)};
}

Result<std::optional<SourceEntry>> DynamoLedger::entry(std::string_view source) {
    PERDURE_TRY_VALUE(auto known, read_entry(source));
    std::optional<SourceEntry> entry;
    if (known) entry = std::move(known->source);
    return entry;
}

TransactWrite DynamoLedger::entering(const std::string& id, const std::optional<Entry>& known,
                                     const Entry& wanted) const {
    Item item = ledger_key(id, "entry");
    write_source(wanted.source, item);
    item.set("holder", holder_).set("generation", wanted.generation).set("fences", wanted.fences);
    PutItem put{dynamodb_books, std::move(item)};
    if (known)
        put.condition("#holder = :known").name("#holder", "holder").value(":known", known->holder);
    else put.condition("attribute_not_exists(#id)").name("#id", "id");
    TransactWrite entering;
    entering.put(std::move(put));
    for (std::size_t i = 0; i < wanted.fences; ++i) {
        Item fence = ledger_key(id, fence_name(i));
        fence.set("holder", holder_);
        entering.put(PutItem{dynamodb_books, std::move(fence)});
    }
    return entering;
}

// All fences are set in one transaction with the entry, so it waits for those that are being checked.
Result<SourceEntry> DynamoLedger::enter(const SourceEntry& source) {
    PERDURE_TRY_VALUE(const std::string id, id_of(source.name));
    for (int race = 0; race < most_races; ++race) {
        PERDURE_TRY_VALUE(const auto known, read_entry(source.name));
        Entry entry = known ? *known : Entry{.source = source};
        if (!known) entry.generation = sql::Token::make().hex().substr(20);
        entry.fences = std::max<std::uint64_t>(entry.fences, in_use_.size());
        dynamodb::ServiceError said;
        auto entered = client_.send(entering(id, known, entry), {.error = &said});
        if (entered) {
            const std::lock_guard lock{mutex_};
            held_[source.name] = entry.generation;
            return entry.source;
        }
        if (!refused(said, 0)) return entered.take_failure();
    }
    return fail(raced());
}

Result<std::optional<std::string>> DynamoLedger::generation_of(std::string_view source) {
    {
        const std::lock_guard lock{mutex_};
        if (const auto found = held_.find(source); found != held_.end())
            return std::optional{found->second};
    }
    PERDURE_TRY_VALUE(const auto known, read_entry(source));
    std::optional<std::string> generation;
    if (known) generation = known->generation;
    return generation;
}

// What becomes of its ranges afterwards is of no meaning to anybody, so a kill in between does no harm.
Result<void> DynamoLedger::forget(std::string_view source) {
    PERDURE_TRY_VALUE(const std::string id, id_of(source));
    for (int race = 0; race < most_races; ++race) {
        PERDURE_TRY_VALUE(const auto known, read_entry(source));
        if (!known) return {};
        TransactWrite forgetting;
        forgetting.remove(DeleteItem{dynamodb_books, ledger_key(id, "entry")}
                              .condition("#holder = :known")
                              .name("#holder", "holder")
                              .value(":known", known->holder));
        for (std::size_t i = 0; i < known->fences; ++i)
            forgetting.remove(DeleteItem{dynamodb_books, ledger_key(id, fence_name(i))});
        dynamodb::ServiceError said;
        auto forgotten = client_.send(forgetting, {.error = &said});
        if (!forgotten && refused(said, 0)) continue;
        if (!forgotten) return forgotten.take_failure();
        {
            const std::lock_guard lock{mutex_};
            held_.erase(std::string{source});
        }
        PERDURE_TRY(sweep(id, range_prefix(known->generation)));
        return sweep(id, rejected_prefix(known->generation));
    }
    return fail(raced());
}

std::size_t DynamoLedger::take_fence() {
    const std::lock_guard lock{mutex_};
    const auto least = std::ranges::min_element(in_use_);
    ++*least;
    return static_cast<std::size_t>(least - in_use_.begin());
}

void DynamoLedger::give_back(std::size_t fence) {
    const std::lock_guard lock{mutex_};
    --in_use_[fence];
}

std::unique_ptr<DynamoLedger::Hold> DynamoLedger::hold(std::string_view source) {
    std::string generation;
    {
        const std::lock_guard lock{mutex_};
        const auto found = held_.find(source);
        if (found == held_.end()) return nullptr;
        generation = found->second;
    }
    auto id = id_of(source);
    if (!id) return nullptr;
    return std::make_unique<Hold>(*this, *std::move(id), std::move(generation));
}

DynamoLedger::Hold::Hold(DynamoLedger& ledger, std::string id, std::string generation)
    : ledger_{ledger},
      id_{std::move(id)},
      generation_{std::move(generation)},
      fence_{ledger.take_fence()} {}

DynamoLedger::Hold::~Hold() { ledger_.give_back(fence_); }

Item DynamoLedger::Hold::key(std::string at) const { return ledger_key(id_, std::move(at)); }

void DynamoLedger::Hold::check(TransactWrite& into) const {
    into.check(dynamodb::CheckItem{dynamodb_books, key(fence_name(fence_)), "#holder = :us"}
                   .name("#holder", "holder")
                   .value(":us", ledger_.holder_));
}

void DynamoLedger::Hold::claim(const Range& range, TransactWrite& into) const {
    check(into);
    Item item = key(place_name(range_prefix(generation_), range.begin));
    write_range(range, item);
    into.put(PutItem{dynamodb_books, std::move(item)}
                 .condition("attribute_not_exists(#id)")
                 .name("#id", "id"));
}

void DynamoLedger::Hold::reject(const Order& order, std::span<const Rejected> rejected,
                                TransactWrite& into) const {
    for (const Rejected& one : rejected) {
        const Slice& slice = order.batch->records[one.record];
        Item item = key(place_name(rejected_prefix(generation_), order.batch->offset(slice)));
        write_rejection({.offset = order.batch->offset(slice),
                         .line = slice.line,
                         .reason = one.reason,
                         .record = std::string{order.batch->text(slice)},
                         .format = order.batch->format},
                        item);
        into.put(PutItem{dynamodb_books, std::move(item)});
    }
}

}  // namespace tool::load
