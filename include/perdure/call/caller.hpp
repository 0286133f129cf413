// SPDX-License-Identifier: Apache-2.0
//
// How do I make a call that survives? A plan and its memory, long-lived, shared by all threads.
//
//     perdure::Caller users{{.name = "users", .deadline = 3s}};
//     const auto profile = users.run({.name = "load-profile", .safety = Safety::read},
//         [&](const Attempt& attempt) { return load(id, attempt.deadline); });   // Result<Profile>
//
// The work may return Result<T> for any T and takes the Attempt or nothing. Exceptions it throws
// pass through untouched and are never repeated; see catching.hpp for those who want them to be.
// Hedging needs a driver that can hold two attempts: here `Plan::hedge` is without effect.
#pragma once

#include "perdure/cxx20.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

#include "perdure/call/diagnostics.hpp"
#include "perdure/call/environment.hpp"
#include "perdure/call/opening.hpp"
#include "perdure/call/progress.hpp"
#include "perdure/call/watched.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

template <class Work>
    requires(std::is_invocable_v<Work&, const Attempt&> || std::is_invocable_v<Work&>)
decltype(auto) invoke_work(Work& work, const Attempt& attempt) {
    if constexpr (std::is_invocable_v<Work&, const Attempt&>) return work(attempt);
    else return work();
}

template <class Work>
using work_result = std::remove_cvref_t<decltype(invoke_work(std::declval<Work&>(),
                                                             std::declval<const Attempt&>()))>;

struct NoResolver {};

template <class Text>
concept Textual = std::is_convertible_v<const Text&, std::string_view>;

}  // namespace detail

// What may be run: gives a Result, takes an Attempt or nothing.
template <class Work>
concept Attemptable = detail::is_result<detail::work_result<Work>>;

// Tells whether an earlier attempt landed: Result<Landed<T>>(const Attempt&), asked by Progress.
template <class Resolve, class R>
concept Resolves =
    std::is_same_v<detail::work_result<Resolve>, Result<Landed<typename R::value_type>>>;

namespace detail {

// What is wrong with work that is not Attemptable, each in a sentence.
template <class Work>
constexpr void explain_work() {
    constexpr bool callable =
        std::is_invocable_v<Work&, const Attempt&> || std::is_invocable_v<Work&>;
    static_assert(callable, "the work must be callable with (const Attempt&) or without arguments; "
                            "a lambda whose returns differ in type needs -> Result<T>");
    if constexpr (callable) {
        using Given = work_result<Work>;
        constexpr bool failed = std::is_same_v<Given, Fail>;
        constexpr bool task = requires { typename Given::promise_type; };
        static_assert(!failed, "a lambda that returns fail(...) needs -> Result<T>");
        static_assert(!task,
                      "run() does not take a coroutine: use perdure::start(caller, operation, "
                      "work)");
        static_assert(failed || task,
                      "the work must return perdure::Result<T>; work that throws or "
                      "returns a plain value goes through perdure::catching or "
                      "perdure::retry");
    }
}

}  // namespace detail

// Safe for any number of threads, without a lock on the path of success.
class Caller {
public:
    explicit Caller(Plan plan = {}, const Environment& environment = {})
        : memory_{std::move(plan)}, environment_{environment} {}
    template <detail::Textual Name>
    explicit Caller(const Name&, const Environment& = {}) : Caller{Plan{}} {
        static_assert(!detail::Textual<Name>,
                      "a Caller is made from a Plan: Caller users{{.name = ...}}");
    }

    template <Attemptable Work>
    auto run(const Operation& operation, Work&& work) -> detail::work_result<Work> {
        detail::NoResolver none;
        return drive<detail::work_result<Work>>(operation, nullptr, work, none);
    }
    template <Attemptable Work, Resolves<detail::work_result<Work>> Resolve>
    auto run(const Operation& operation, Work&& work, Resolve&& resolve)
        -> detail::work_result<Work> {
        return drive<detail::work_result<Work>>(operation, nullptr, work, resolve);
    }
    // Inside an attempt of another call: exactly one attempt here, its failure travels up, the
    // tighter deadline holds, and an unknown effect becomes the outer attempt's.
    template <Attemptable Work>
    auto run(const Attempt& parent, const Operation& operation, Work&& work)
        -> detail::work_result<Work> {
        detail::NoResolver none;
        return drive<detail::work_result<Work>>(operation, &parent, work, none);
    }
    template <Attemptable Work, Resolves<detail::work_result<Work>> Resolve>
    auto run(const Attempt& parent, const Operation& operation, Work&& work, Resolve&& resolve)
        -> detail::work_result<Work> {
        return drive<detail::work_result<Work>>(operation, &parent, work, resolve);
    }
    // The rest does not compile, and says why.
    template <class Work>
        requires(!Attemptable<Work>)
    auto run(const Operation&, Work&&) {
        return detail::explain_work<Work>(), Result<void>{};
    }
    template <class Work>
        requires(!Attemptable<Work>)
    auto run(const Attempt&, const Operation&, Work&&) {
        return detail::explain_work<Work>(), Result<void>{};
    }
    template <Attemptable Work, class Resolve>
        requires(!Resolves<Resolve, detail::work_result<Work>>)
    auto run(const Operation&, Work&&, Resolve&&) -> detail::work_result<Work> {
        static_assert(Resolves<Resolve, detail::work_result<Work>>,
                      "the resolver must return perdure::Result<perdure::Landed<T>> where the work "
                      "returns Result<T>");
    }
    template <detail::Textual Name, class... Rest>
    auto run(const Name&, Rest&&...) {
        static_assert(!detail::Textual<Name>,
                      "run() takes an Operation first: run({.name = ...}, work)");
        return Result<void>{};
    }

    [[nodiscard]] const Plan& plan() const noexcept { return memory_.plan(); }
    [[nodiscard]] Sketch latencies() const { return memory_.latencies().snapshot(); }
    [[nodiscard]] CallCounts counts() const noexcept { return memory_.counters().snapshot(); }
    [[nodiscard]] Budget& budget() noexcept { return memory_.budget(); }
    // A breaker of its own for a shard or host; resolve it once and put it into the Operation. Null
    // when the plan has no breaker.
    [[nodiscard]] Breaker* breaker(std::string_view key) {
        return memory_.breakers() ? &memory_.breakers()->at(key) : nullptr;
    }
    // The same for limiters: one of its own for a table or a tenant.
    [[nodiscard]] Limiter* limiter(std::string_view key) {
        return memory_.limiters() ? memory_.limiters()->at(key) : nullptr;
    }
    [[nodiscard]] Memory& memory() noexcept { return memory_; }
    [[nodiscard]] const Environment& environment() const noexcept { return environment_; }

private:
    template <class R, class Work, class Resolve>
    R drive(const Operation& operation, const Attempt* parent, Work& work, Resolve& resolve);
    template <class R, class Work>
    R attempt_at_once(const Operation& operation, const Opening& opening, Work& work);
    template <class R, class Work>
    R go_on(const Operation& operation, TimePoint started, Failure&& failure, Effect nested,
            TimePoint now, Work& work);
    template <class R, class Work, class Resolve>
    R begin(const Operation& operation, const Attempt* parent, Work& work, Resolve& resolve);
    template <class R, class Work, class Resolve>
    R turn(Progress& progress, const Operation& operation, Work& work, Resolve& resolve,
           TimePoint now);
    void take_other_step(Progress& progress, const Operation& operation, const Step& step);

    Memory memory_;
    Environment environment_;
};

}  // namespace v0
}  // namespace perdure

#include "perdure/call/caller_drive.hpp"
