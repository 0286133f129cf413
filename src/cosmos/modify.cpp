// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/modify.hpp"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "perdure/call/start.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::string_view moved = "etag-moved";

// One round, without the two calls in it. Belongs to one modification.
struct Round {
    ReadItem item;
    Change change;
    std::string marker;
    CallOptions calls{};  // of the calls inside, but for their attempt

    [[nodiscard]] Result<ReplaceVersioned> replacement(Result<Item> now) const {
        if (!now) return now.take_failure();
        auto text = change(now->json);
        if (!text) return text.take_failure();
        ReplaceVersioned request{item.container(), item.id(), item.key(), *std::move(text),
                                 std::move(now->etag)};
        request.marker(marker);
        return request;
    }
    // Another was faster: the only failure that is worth another round.
    [[nodiscard]] static Result<Written> judged(Result<Written> said) {
        if (said || said.error().cause != Cause::conflict || said.error().status != 412 ||
            said.error().effect != Effect::none)
            return said;
        Failure failure = std::move(said.error());
        failure.set_cause(Cause::contended);
        failure.rule = moved;
        failure.retry_after.reset();
        return fail(std::move(failure));
    }
};

// The calls inside have the client's attempts; what they fail with is not repeated here.
Plan rounds_plan(Client& client, const ModifyOptions& options) {
    const Plan& own = client.caller().plan();
    Plan plan;
    plan.name = own.name;
    plan.deadline = own.deadline;
    plan.attempt_timeout = own.deadline;
    plan.rule = {.attempts = 1};
    plan.rules = {
        {std::string{moved},
         {.attempts = std::max(options.rounds, 1), .backoff = options.backoff, .cost = 0}},
        {"credentials", {.attempts = 1}}};
    plan.budget.kind = BudgetKind::none;
    return plan;
}

Operation rounds(const ModifyOptions& options) {
    return {.name = "modify",
            .safety = Safety::once,
            .deadline = options.deadline,
            .stop = options.stop,
            .diagnostics = options.diagnostics};
}

CallOptions calls_of(const ModifyOptions& options, Story* story) {
    CallOptions calls;
    calls.nested = Nested::own_retries;
    calls.excluded = options.excluded;
    calls.session = options.session;
    calls.story = story;
    return calls;
}

CallOptions inside(const Round& round, const Attempt& attempt) {
    CallOptions options = round.calls;
    options.stop = attempt.stop();
    options.within = &attempt;
    return options;
}

Result<Written> named(Result<Written> ended) {
    if (ended || ended.error().rule != moved) return ended;
    Failure failure = std::move(ended.error());
    // The effect and the first cause stay those of all rounds.
    failure.cause = FailureCause{Cause::conflict};
    failure.final_in_race = is_final_in_race(Cause::conflict);
    failure.rule = {};
    failure.code = "contended";
    failure.message = "contended: others changed the item in each of " +
                      std::to_string(failure.attempts) + " rounds";
    return fail(std::move(failure));
}

// Coroutines turn on the thread on which their requests do.
Environment reactor_environment(Client& client) {
    const Environment& given = client.caller().environment();
    Executor* executor = given.executor;
    try {
        if (!executor) executor = &net::default_reactor();
    } catch (const std::system_error&) {
        executor = nullptr;  // no descriptors left: each request says so
    }
    return {given.clock, given.random, given.observer, executor};
}

// A round that may end after modify() has returned: an attempt that is cut off goes on until it notices.
struct SharedRound {
    Round round;
    Story story{};
};

Task<Result<Written>> one_round(Client* client, std::shared_ptr<const SharedRound> shared,
                                const Attempt* attempt) {
    const Round& round = shared->round;
    auto reading = client->start(round.item, inside(round, *attempt));
    auto now = co_await reading;
    auto request = round.replacement(std::move(now));
    if (!request) co_return request.take_failure();
    auto writing = client->start(*std::move(request), inside(round, *attempt));
    auto said = co_await writing;
    co_return Round::judged(std::move(said));
}

}  // namespace

Result<Written> modify(Client& client, const ReadItem& item, const Change& change,
                       const ModifyOptions& options) {
    if (client.problem()) return fail(*client.problem());
    const Round round{item, change, options.marker, calls_of(options, options.story)};
    Caller caller{rounds_plan(client, options), client.caller().environment()};
    return named(caller.run(rounds(options), [&](const Attempt& attempt) -> Result<Written> {
        auto request = round.replacement(client.send(item, inside(round, attempt)));
        if (!request) return request.take_failure();
        return Round::judged(client.send(*request, inside(round, attempt)));
    }));
}

Pending<Result<Written>> start_modify(Client& client, ReadItem item, Change change,
                                      ModifyOptions options) {
    if (client.problem()) co_return fail(*client.problem());
    Caller caller{rounds_plan(client, options), reactor_environment(client)};
    auto shared = std::make_shared<SharedRound>(
        SharedRound{.round = {std::move(item), std::move(change), options.marker, {}}});
    shared->round.calls = calls_of(options, options.story ? &shared->story : nullptr);
    const auto work = [who = &client, shared](const Attempt& attempt) {
        return one_round(who, shared, &attempt);
    };
    const Operation operation = rounds(options);
    auto call = perdure::start(caller, operation, work);
    auto ended = co_await call;
    if (options.story) *options.story = shared->story;
    co_return named(std::move(ended));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
