// SPDX-License-Identifier: Apache-2.0
//
// Money from one account to another, all or nothing, once; and the same calls from coroutines. For
// docs/guide/dynamodb.md.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "dynamodb_local.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/scan.hpp"
#include "perdure/dynamodb/transact_get.hpp"
#include "perdure/dynamodb/transact_write.hpp"
#include "perdure/dynamodb/wait.hpp"
#include "perdure/net/reactor.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;
using namespace perdure::dynamodb;

namespace {

Item key_of(const std::string& account) { return {{"pk", account}}; }

// [transfer]
// `token` was stored with the order, so that after a crash the same transfer can be asked for again.
Result<void> transfer(dynamodb::Client& bank, const std::string& token, std::int64_t cents) {
    ServiceError said;
    const auto moved = bank.send(
        TransactWrite{}
            .update(UpdateItem{"accounts", key_of("ada")}
                        .update("ADD cents :less")
                        .condition("cents >= :sum")
                        .value(":less", -cents)
                        .value(":sum", cents))
            .update(
                UpdateItem{"accounts", key_of("bob")}.update("ADD cents :sum").value(":sum", cents))
            .token(token),
        {.error = &said});
    if (moved) return {};
    for (std::size_t i = 0; i < said.cancellation.size(); ++i)
        std::printf("action %zu: %s\n", i, said.cancellation[i].code.c_str());
    return fail(moved.error());
}
// [/transfer]

// [both]
Result<std::int64_t> sum_of_both(dynamodb::Client& bank) {
    PERDURE_TRY_VALUE(
        const auto both,
        bank.send(TransactGet{}.get("accounts", key_of("ada")).get("accounts", key_of("bob"))));
    std::int64_t sum = 0;
    for (const std::optional<Item>& account : both.items)
        if (account) sum += account->get<std::int64_t>("cents").value_or(0);
    return sum;
}
// [/both]

// [coroutine]
Task<Result<std::int64_t>> cents_of(dynamodb::Client& bank, std::string account) {
    auto call = bank.start(GetItem{"accounts", key_of(account)}.consistent());
    auto got = co_await call;  // two statements
    if (!got) co_return got.take_failure();
    if (!got->item) co_return fail({.cause = Cause::not_found, .code = "no-such-account"});
    co_return got->item->get<std::int64_t>("cents");
}
// [/coroutine]

// [coroutine-pages]
Task<Result<int>> count_accounts(dynamodb::Client& bank) {
    Pages<Scan> all = pages(bank, Scan{"accounts"}.limit(1));
    int count = 0;
    while (!all.ended()) {
        auto asking = all.start_next();
        auto page = co_await asking;
        if (!page) co_return page.take_failure();
        if (*page) count += static_cast<int>((*page)->items.size());
    }
    co_return count;
}
// [/coroutine-pages]

// [plan]
dynamodb::ClientOptions patient_options() {
    Plan plan = plan_for(Retries::perdure, "bank");
    plan.deadline = 20s;        // of a whole call
    plan.attempt_timeout = 2s;  // of one attempt, from the moment it is connected
    return {.plan = plan, .adapt = Adapt::per_table};
}
// [/plan]

Result<void> prepare(dynamodb::Client& bank) {
    PERDURE_TRY(ensure_table(bank, CreateTable{"accounts", "pk"}));
    PERDURE_TRY(bank.send(PutItem{"accounts", {{"pk", "ada"}, {"cents", 1000}}}));
    PERDURE_TRY(bank.send(PutItem{"accounts", {{"pk", "bob"}, {"cents", 0}}}));
    return {};
}

Result<void> show(dynamodb::Client& bank) {
    PERDURE_TRY(prepare(bank));
    PERDURE_TRY(transfer(bank, "order-17", 400));  // its first answer is lost
    PERDURE_TRY(transfer(bank, "order-17", 400));  // asked for again: nothing more happens
    if (transfer(bank, "order-18", 5000)) return fail({.cause = Cause::internal, .code = "debt"});
    PERDURE_TRY_VALUE(const auto sum, sum_of_both(bank));
    PERDURE_TRY_VALUE(const auto bobs, block_on(net::default_reactor(), cents_of(bank, "bob")));
    PERDURE_TRY_VALUE(const auto count, block_on(net::default_reactor(), count_accounts(bank)));
    std::printf("together %lld, bob %lld, %d accounts\n", static_cast<long long>(sum),
                static_cast<long long>(bobs), count);
    if (sum != 1000 || bobs != 400 || count != 2)
        return fail({.cause = Cause::internal, .code = "wrong"});
    return {};
}

}  // namespace

int main() {
    const auto network = local::losing({"TransactWriteItems"});
    dynamodb::ClientOptions options = patient_options();
    options.endpoint = local::url_of(*network);
    dynamodb::Client bank{std::move(options)};
    const auto shown = show(bank);
    return shown ? 0 : (std::puts(to_string(shown.error()).c_str()), 1);
}
