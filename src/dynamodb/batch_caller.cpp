// SPDX-License-Identifier: Apache-2.0
#include "batch_caller.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>

#include "perdure/net/reactor.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view leftovers = "leftovers";

// The client's purse in the hands of a batch: retries are paid from it, while what requests earn
// they pay in themselves.
class LentBudget final : public Budget {
public:
    explicit LentBudget(Caller& owner) noexcept
        : Budget{0, owner.budget().wants_ends() ? Ends::wanted : Ends::ignored}, owner_{owner} {}

    void on_late_success(int last_cost_milli) noexcept override {
        owner_.budget().on_late_success(last_cost_milli);
    }
    [[nodiscard]] bool try_withdraw(int cost_milli, TimePoint now,
                                    const Traffic&) noexcept override {
        return owner_.budget().try_withdraw(cost_milli, now, owner_.memory());
    }

protected:
    void deposit_success(TimePoint) noexcept override {}
    void retries_over(int retries) noexcept override { owner_.budget().on_retries_over(retries); }

private:
    Caller& owner_;
};

// As for what is throttled, but sooner: the request was taken, and mostly a part of it was done. Where
// nothing is done at all the service says so with an error, which has the longer waits.
Rule leftovers_rule(const Plan& plan) {
    Rule rule = plan.rule;
    for (const NamedRule& named : plan.rules)
        if (named.name == to_string(Cause::throttled)) rule = named.rule;
    rule.backoff.base = std::min<Duration>(rule.backoff.base, 50ms);
    return rule;
}

}  // namespace

Failure left_over(std::string_view code) {
    return {.cause = Cause::throttled, .rule = leftovers, .code = std::string{code}};
}

Plan batch_plan(Client& client) {
    Caller& owner = client.caller();
    Plan plan = owner.plan();
    plan.attempt_timeout = owner.memory().attempt_timeout();  // perhaps a learned one
    plan.learn_timeout.reset();
    plan.limiter = {};
    plan.breaker.reset();
    plan.hedge.reset();
    plan.spread = {};
    if (std::none_of(plan.rules.begin(), plan.rules.end(),
                     [](const NamedRule& rule) { return rule.name == leftovers; }))
        plan.rules.push_back({std::string{leftovers}, leftovers_rule(plan)});
    plan.shared_budget = std::make_shared<LentBudget>(owner);
    return plan;
}

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

Operation batch_operation(std::string_view name, Safety safety, const CallOptions& options,
                          const Caller& caller) {
    const TimePoint now = caller.environment().clock.now();
    return {.name = name,
            .safety = safety,
            .nested = options.nested,
            .deadline = options.deadline.tighter(Deadline::in(caller.plan().deadline, now)),
            .stop = options.stop};
}

CallOptions inside(const Attempt& attempt) {
    CallOptions options;
    options.stop = attempt.stop();
    options.within = &attempt;
    return options;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
