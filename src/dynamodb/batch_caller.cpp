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

// The client's budget in the hands of a batch. Retries are paid from it; each request pays in for itself,
// and the batch for the other entries that the request has done.
class LentBudget final : public Budget {
public:
    explicit LentBudget(Caller& owner) noexcept
        : Budget{0, owner.budget().wants_ends() ? Ends::wanted : Ends::ignored}, owner_{owner} {}

    void on_items_done(std::uint64_t items, TimePoint now) noexcept override {
        owner_.memory().note_items_done(items, now);
    }
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

const Rule* rule_named(const Plan& plan, std::string_view name) noexcept {
    const auto found = std::ranges::find(plan.rules, name, &NamedRule::name);
    return found == plan.rules.end() ? nullptr : &found->rule;
}

// What is counted together with the default rule is counted as far.
void take_as_default(Plan& plan, const Rule& rule) {
    plan.rule = rule;
    for (NamedRule& named : plan.rules)
        if (named.rule.counting == Counting::shared) named.rule.attempts = rule.attempts;
}

// As for what is throttled, but sooner: the request was taken, and mostly a part of it was done. Where
// nothing is done at all the service says so with an error, which has the longer waits.
Rule leftovers_rule(const Plan& plan) {
    const Rule* const throttled = rule_named(plan, to_string(Cause::throttled));
    Rule rule = throttled ? *throttled : plan.rule;
    rule.backoff.base = std::min<Duration>(rule.backoff.base, 50ms);
    return rule;
}

}  // namespace

Failure left_over(std::string_view code) {
    return {.cause = Cause::throttled, .rule = leftovers_rule_name, .code = std::string{code}};
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
    if (!rule_named(plan, leftovers_rule_name))
        plan.rules.push_back({std::string{leftovers_rule_name}, leftovers_rule(plan)});
    if (const Rule* const of_sends = rule_named(plan, "batch")) take_as_default(plan, *of_sends);
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
