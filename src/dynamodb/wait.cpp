// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/wait.hpp"

#include <memory>
#include <utility>

#include "batch_caller.hpp"
#include "perdure/call/poll.hpp"
#include "perdure/call/start.hpp"
#include "perdure/dynamodb/describe_table.hpp"
#include "wait_goals.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// What a wait and a batch need of a client is the same.
Plan waiting_plan(Client& client, const WaitOptions& options) {
    Plan plan = polling_plan(
        batch_plan(client),
        {.every = options.every, .factor = options.factor, .longest = options.longest});
    plan.deadline = options.within;
    if (plan.attempt_timeout > plan.deadline) plan.attempt_timeout = plan.deadline;
    return plan;
}

Operation waiting(std::string_view name, Safety safety, const WaitOptions& options) {
    return {.name = name,
            .safety = safety,
            .deadline = options.deadline,
            .stop = options.stop,
            .diagnostics = options.diagnostics};
}

template <class Goal>
auto wait_for(Client& client, std::string_view name, const std::string& table, Goal goal,
              const WaitOptions& options) -> Result<typename Goal::Answer> {
    using R = Result<typename Goal::Answer>;
    if (client.problem()) return fail(*client.problem());
    Caller polling{waiting_plan(client, options), client.caller().environment()};
    return polling.run(waiting(name, Goal::safety, options), [&](const Attempt& attempt) -> R {
        auto seen = goal.look(client.send(DescribeTable{table}, inside(attempt)));
        if constexpr (!Acts<Goal>) {
            return seen;
        } else {
            if (seen) return *std::move(seen);
            return goal.acted(client.send(goal.request, inside(attempt)));
        }
    });
}

// One attempt of the same, as a coroutine. The goal is shared, for one that is cut off ends later.
template <class Goal>
Task<Result<typename Goal::Answer>> attempt_at(Client* client, std::string table,
                                               std::shared_ptr<Goal> goal, const Attempt* attempt) {
    auto asking = client->start(DescribeTable{std::move(table)}, inside(*attempt));
    auto now = co_await asking;
    auto seen = goal->look(std::move(now));
    if constexpr (!Acts<Goal>) {
        co_return seen;
    } else {
        if (seen) co_return *std::move(seen);
        auto acting = client->start(goal->request, inside(*attempt));
        auto said = co_await acting;
        co_return goal->acted(std::move(said));
    }
}

template <class Goal>
Task<Result<typename Goal::Answer>> start_waiting(Client& client, std::string_view name,
                                                  std::string table, Goal goal,
                                                  WaitOptions options) {
    if (client.problem()) co_return fail(*client.problem());
    Caller polling{waiting_plan(client, options), reactor_environment(client)};
    auto shared = std::make_shared<Goal>(std::move(goal));
    const auto work = [who = &client, table, shared](const Attempt& attempt) {
        return attempt_at(who, table, shared, &attempt);
    };
    const Operation operation = waiting(name, Goal::safety, options);
    auto call = perdure::start(polling, operation, work);
    auto ended = co_await call;
    co_return ended;
}

}  // namespace

Result<TableDescription> wait_until_active(Client& client, const std::string& table,
                                           const WaitOptions& options) {
    return wait_for(client, "wait-until-active", table, UntilActive{}, options);
}

Result<void> wait_until_gone(Client& client, const std::string& table, const WaitOptions& options) {
    return wait_for(client, "wait-until-gone", table, UntilGone{}, options);
}

Result<TableDescription> ensure_table(Client& client, const CreateTable& table,
                                      const WaitOptions& options) {
    return wait_for(client, "ensure-table", std::string{table.table()}, Ensured{table}, options);
}

Result<void> ensure_gone(Client& client, const std::string& table, const WaitOptions& options) {
    return wait_for(client, "ensure-gone", table, EnsuredGone{DeleteTable{table}}, options);
}

Pending<Result<TableDescription>> start_wait_until_active(Client& client, std::string table,
                                                          WaitOptions options) {
    return start_waiting(client, "wait-until-active", std::move(table), UntilActive{},
                         std::move(options));
}

Pending<Result<void>> start_wait_until_gone(Client& client, std::string table,
                                            WaitOptions options) {
    return start_waiting(client, "wait-until-gone", std::move(table), UntilGone{},
                         std::move(options));
}

Pending<Result<TableDescription>> start_ensure_table(Client& client, CreateTable table,
                                                     WaitOptions options) {
    std::string name{table.table()};
    return start_waiting(client, "ensure-table", std::move(name), Ensured{std::move(table)},
                         std::move(options));
}

Pending<Result<void>> start_ensure_gone(Client& client, std::string table, WaitOptions options) {
    DeleteTable request{table};
    return start_waiting(client, "ensure-gone", std::move(table), EnsuredGone{std::move(request)},
                         std::move(options));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
