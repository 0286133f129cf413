// SPDX-License-Identifier: Apache-2.0
//
// How do I test my own code against a service that misbehaves? By writing down what it does, call
// by call.
//
//     VirtualClock clock;
//     Scripted<int> service{{fails(Cause::throttled), fails({.cause = Cause::timed_out}).takes(200ms),
//                            succeeds(7)}, clock};
//     const auto answer = caller.run(operation, service);
//     EXPECT_EQ(service.attempts().size(), 3u);
//
// After the last line of the script its last outcome is repeated, or what `afterwards` said.
#pragma once

#include "perdure/cxx20.hpp"

#include <cassert>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/call/attempt.hpp"
#include "perdure/result.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// One line of a script. What it says and how long the service takes to say it.
template <class Says>
struct Line {
    Says says;
    Duration time{};

    [[nodiscard]] Line takes(Duration duration) && {
        time = duration;
        return std::move(*this);
    }
};

template <class T>
struct Value {
    T value;
};
template <>
struct Value<void> {};

inline Line<Failure> fails(Failure failure) { return {std::move(failure)}; }
inline Line<Failure> fails(Cause cause) { return {Failure{.cause = cause}}; }
template <class T>
Line<Value<T>> succeeds(T value) {
    return {{std::move(value)}};
}
inline Line<Value<void>> succeeds() { return {}; }
template <class Exception>
Line<std::exception_ptr> throws(Exception exception) {
    return {std::make_exception_ptr(std::move(exception))};
}

template <class T>
class Outcome {
public:
    Outcome(Line<Failure> line) : says_{std::move(line.says)}, time_{line.time} {}
    Outcome(Line<std::exception_ptr> line) : says_{std::move(line.says)}, time_{line.time} {}
    template <class U>
        requires(std::is_void_v<T> ? std::is_void_v<U> : std::is_convertible_v<U, T>)
    Outcome(Line<Value<U>> line) : says_{converted(std::move(line.says))}, time_{line.time} {}

    [[nodiscard]] Duration time() const noexcept { return time_; }
    [[nodiscard]] Result<T> said() const {
        if (const auto* failure = std::get_if<Failure>(&says_)) return fail(*failure);
        if (const auto* thrown = std::get_if<std::exception_ptr>(&says_))
            std::rethrow_exception(*thrown);
        if constexpr (std::is_void_v<T>) return {};
        else return std::get<Value<T>>(says_).value;
    }

private:
    template <class U>
    static Value<T> converted(Value<U>&& value) {
        if constexpr (std::is_void_v<T>) return value;
        else return {std::move(value.value)};
    }

    std::variant<Value<T>, Failure, std::exception_ptr> says_;
    Duration time_{};
};

// What an attempt looked like from the service; an Attempt itself is valid only while it runs.
struct SeenAttempt {
    int number = 0;
    Deadline deadline{};
    Deadline call_deadline{};
    RemedySet remedies{};
    int endpoint = 0;
};

// Work for Caller::run. Used by one thread.
template <class T>
class Scripted {
public:
    explicit Scripted(std::vector<Outcome<T>> script) : script_{std::move(script)} {
        assert(!script_.empty());
    }
    // On this clock the outcomes take their time.
    Scripted(std::vector<Outcome<T>> script, VirtualClock& clock)
        : script_{std::move(script)}, clock_{&clock} {
        assert(!script_.empty());
    }
    Scripted(const Scripted&) = delete;
    Scripted& operator=(const Scripted&) = delete;

    // What comes when the script has ended.
    Scripted& afterwards(Outcome<T> outcome) {
        afterwards_.emplace(std::move(outcome));
        return *this;
    }

    Result<T> operator()(const Attempt& attempt) {
        const std::size_t turn = seen_.size();
        seen_.push_back({attempt.number, attempt.deadline, attempt.call_deadline, attempt.remedies,
                         attempt.endpoint});
        const Outcome<T>& outcome = turn < script_.size() ? script_[turn]
                                    : afterwards_         ? *afterwards_
                                                          : script_.back();
        assert(clock_ || outcome.time() == Duration::zero());
        if (clock_) clock_->advance(outcome.time());
        return outcome.said();
    }

    [[nodiscard]] const std::vector<SeenAttempt>& attempts() const noexcept { return seen_; }
    // Whether every line was played.
    [[nodiscard]] bool ended() const noexcept { return seen_.size() >= script_.size(); }

private:
    std::vector<Outcome<T>> script_;
    std::optional<Outcome<T>> afterwards_;
    VirtualClock* clock_ = nullptr;
    std::vector<SeenAttempt> seen_;
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
