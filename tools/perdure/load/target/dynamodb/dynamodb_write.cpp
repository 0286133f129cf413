// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_write.hpp"

#include <algorithm>
#include <utility>

#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/dynamodb/dynamodb_target.hpp"
#include "load/target/ledger_ranges.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using dynamodb::TransactWrite;

namespace {

constexpr std::size_t most_actions = 100;
constexpr std::size_t most_bytes = std::size_t{4} << 20u;
constexpr std::size_t for_the_ledger = std::size_t{64}
                                       << 10u;  // of these, and for what we miscount
// What the ledger writes beside the text of a rejected record.
constexpr std::size_t around_a_record = 4096;

Failure too_much_at_once() {
    return {.cause = Cause::too_large,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "record",
            .message = "these records are too much for one transaction"};
}

}  // namespace

DynamoWrite::DynamoWrite(dynamodb::Client& client, const DynamoLedger::Hold& hold,
                         const ItemRows& rows, const Order& order, const std::stop_token& stop)
    : client_{client}, hold_{hold}, rows_{rows}, order_{order}, stop_{stop}, unit_{rows, order} {}

Result<void> DynamoWrite::look_first() {
    if (unit_.open().empty()) return {};
    dynamodb::BatchGet wanted{rows_.table()};
    wanted.consistent();
    for (const UnitRows::Candidate& one : unit_.open()) wanted.key(rows_.key_of(one.item));
    auto report = dynamodb::batch_get(client_, wanted, {.stop = stop_});
    if (!report.complete()) return fail(std::move(report.leftovers.front().failure));
    for (std::size_t i = 0; i < report.values.size(); ++i) {
        if (!report.values[i] || !*report.values[i]) continue;
        unit_.met(i, **report.values[i]);
        met_ = true;
    }
    unit_.drop_settled();
    return {};
}

// Each round but the last settles at least one key, and what was there is not looked at again.
Result<Range> DynamoWrite::run() {
    const std::size_t most_rounds = unit_.open().size() + 2;
    for (std::size_t round = 1;; ++round) {
        auto written = attempt();
        if (written || written.error().code != "key-met" || round == most_rounds) return written;
    }
}

bool DynamoWrite::fits(const UnitOutcome& outcome) const {
    const std::size_t rejected = order_.rejected.size() + outcome.rejected.size();
    if (DynamoLedger::own_actions + unit_.open().size() + rejected > most_actions) return false;
    std::size_t bytes = unit_.bytes() + for_the_ledger;
    const auto add = [&](std::span<const Rejected> some) {
        for (const Rejected& one : some)
            bytes += std::min(order_.batch->text(order_.batch->records[one.record]).size(),
                              most_of_record) +
                     around_a_record;
    };
    add(order_.rejected);
    add(outcome.rejected);
    return bytes <= most_bytes;
}

TransactWrite DynamoWrite::transaction(const UnitOutcome& outcome, const Range& range) const {
    TransactWrite writing;
    hold_.claim(range, writing);
    hold_.reject(order_, order_.rejected, writing);
    hold_.reject(order_, outcome.rejected, writing);
    for (const UnitRows::Candidate& one : unit_.open())
        writing.put(dynamodb::PutItem{rows_.table(), one.item}
                        .condition("attribute_not_exists(#key)")
                        .name("#key", rows_.key().front().name)
                        .old_item_when_refused());
    return writing;
}

Result<Range> DynamoWrite::attempt() {
    const UnitOutcome outcome = unit_.outcome();
    if (order_.range.records > 1 && !fits(outcome)) return fail(too_much_at_once());
    Range range = order_.range;
    range.written = outcome.written;
    range.present = outcome.present;
    range.rejected = order_.rejected.size() + outcome.rejected.size();
    const TransactWrite writing = transaction(outcome, range);
    first_row_ = writing.size() - unit_.open().size();
    dynamodb::ServiceError said;
    auto done = client_.send(writing, {.stop = stop_, .error = &said});
    if (done) return range;
    if (refused(said, 0) || refused(said, 1)) {
        Failure why = refused(said, 0) ? not_held() : taken(range);
        why.effect = done.error().effect;
        return fail(std::move(why));
    }
    PERDURE_TRY_VALUE(const bool learnt, learn(said));
    if (!learnt) return fail(meaning_of(std::move(done.error())));
    return fail({.cause = Cause::conflict,
                 .effect = done.error().effect,
                 .code = "key-met",
                 .message = "keys of these records come and go while they are loaded"});
}

// The service refuses a request as a whole when it does not like one item in it.
Failure DynamoWrite::meaning_of(Failure failure) const {
    const bool about_items = failure.code == "ValidationException" && !unit_.open().empty();
    if (!about_items) return failure;
    failure.code = "record";
    failure.message = "DynamoDB refuses it: " + failure.message;
    return failure;
}

Result<bool> DynamoWrite::learn(const dynamodb::ServiceError& said) {
    bool learnt = false;
    for (std::size_t i = 0; i < unit_.open().size(); ++i) {
        const std::size_t action = first_row_ + i;
        if (action >= said.cancellation.size()) break;
        const dynamodb::CancellationReason& reason = said.cancellation[action];
        if (refused(said, action)) PERDURE_TRY(meet(i, reason.item));
        else if (reason.code == "ValidationError")
            unit_.refuse(i, "DynamoDB refuses it: " + reason.message);
        else continue;
        learnt = true;
    }
    unit_.drop_settled();
    return learnt;
}

Result<void> DynamoWrite::meet(std::size_t candidate, const std::optional<dynamodb::Item>& told) {
    met_ = true;
    if (told) {
        unit_.met(candidate, *told);
        return {};
    }
    dynamodb::GetItem asking{rows_.table(), rows_.key_of(unit_.open()[candidate].item)};
    asking.consistent();
    PERDURE_TRY_VALUE(const dynamodb::Got got, client_.send(asking, {.stop = stop_}));
    if (got.item) unit_.met(candidate, *got.item);  // else it has gone meanwhile
    return {};
}

}  // namespace tool::load
