// SPDX-License-Identifier: Apache-2.0
//
// How is a thread tested that sleeps for hours? On a clock that the test moves by hand, when it has
// seen that somebody sleeps on it; with a source that does what the test says.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "dynamodb/credentials_source.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::dynamodb {

inline constexpr Duration patience = 10s;

// Stands still until it is moved. Any thread.
class HandClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        const std::lock_guard held{mutex_};
        return now_;
    }
    [[nodiscard]] WallTime wall() const noexcept override {
        const std::lock_guard held{mutex_};
        return start_ + (now_ - began_);
    }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        std::unique_lock held{mutex_};
        const auto sleeper = sleepers_.insert(until);
        news_.notify_all();
        news_.wait(held, stop, [&] { return now_ >= until; });
        sleepers_.erase(sleeper);
        news_.notify_all();
        return stop.stop_requested() ? Woken::by_stop : Woken::on_time;
    }

    // Waits until somebody sleeps, and moves to when it wants to be woken. How long that was.
    Duration skip() {
        std::unique_lock held{mutex_};
        const bool asleep = news_.wait_for(
            held, patience, [&] { return !sleepers_.empty() && *sleepers_.begin() > now_; });
        EXPECT_TRUE(asleep) << "nobody sleeps";
        if (!asleep) return {};
        const Duration by = *sleepers_.begin() - now_;
        now_ = *sleepers_.begin();
        news_.notify_all();
        return by;
    }
    // By naps of whoever sleeps, until that much has passed or more.
    Duration skip_for(Duration least) {
        Duration passed{};
        while (passed < least && !::testing::Test::HasFailure()) passed += skip();
        return passed;
    }
    // Nobody needs to sleep: a machine that was suspended.
    void jump(Duration by) {
        const std::lock_guard held{mutex_};
        start_ += by;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable_any news_;
    const TimePoint began_{Duration{1h}};
    TimePoint now_ = began_;
    WallTime start_{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}};
    std::multiset<TimePoint> sleepers_;
};

// Any thread.
class ScriptedKeys {
public:
    using Answer = std::function<Result<Keys>(int call, const Attempt& attempt)>;
    explicit ScriptedKeys(Answer answer) : answer_{std::move(answer)} {}

    // Goes to the credentials; this stays with the test, and lives longer.
    [[nodiscard]] std::unique_ptr<KeySource> source(int told_after = 1) {
        return std::make_unique<Source>(*this, told_after);
    }
    [[nodiscard]] int calls() const {
        const std::lock_guard held{mutex_};
        return calls_;
    }
    // Whether so many have been made within a patience.
    bool reaches(int calls) {
        std::unique_lock held{mutex_};
        return news_.wait_for(held, patience, [&] { return calls_ >= calls; });
    }

private:
    class Source final : public KeySource {
    public:
        Source(ScriptedKeys& script, int told_after) : script_{script}, told_after_{told_after} {}
        Result<Keys> fetch(const Attempt& attempt) override { return script_.fetch(attempt); }
        [[nodiscard]] std::string_view name() const noexcept override { return "a script"; }
        [[nodiscard]] Duration longest() const noexcept override { return 5s; }
        [[nodiscard]] int patience() const noexcept override { return told_after_; }

    private:
        ScriptedKeys& script_;
        int told_after_;
    };
    Result<Keys> fetch(const Attempt& attempt) {
        int call = 0;
        {
            const std::lock_guard held{mutex_};
            call = ++calls_;
            news_.notify_all();
        }
        return answer_(call, attempt);
    }

    const Answer answer_;
    mutable std::mutex mutex_;
    std::condition_variable news_;
    int calls_ = 0;
};

// Whether it becomes so; asks again and again, for what nobody tells.
template <class Condition>
bool becomes(Condition&& so) {
    const TimePoint limit = system_clock().now() + patience;
    while (!so()) {
        if (system_clock().now() > limit) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace perdure::dynamodb
