// SPDX-License-Identifier: Apache-2.0
#include "refresh.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "perdure/call/caller.hpp"
#include "perdure/time/start_thread.hpp"
#include "refresh_shelf.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

KeySource::~KeySource() = default;

namespace {

// Expiry is told in wall time, which may jump or stand still while the machine sleeps.
constexpr Duration longest_nap = 1min;
// The number of a failure that no patience with the source of keys can mend.
constexpr int told_at_once = std::numeric_limits<int>::max();

Plan plan_for(const KeySource& source) {
    return {
        .name = "dynamodb-credentials",
        .deadline = 1h,
        .attempt_timeout = source.longest(),
        .rule = {.attempts = 0, .backoff = {.base = 500ms, .cap = 30s, .jitter = Jitter::equal}},
        .budget = {.kind = BudgetKind::none}};
}

class Refreshing final : public Credentials {
public:
    Refreshing(std::unique_ptr<KeySource> source, const Environment& environment,
               std::optional<Keys> first)
        : source_{std::move(source)},
          clock_{environment.clock},
          random_{environment.random},
          caller_{plan_for(*source_), environment},
          shelf_{source_->name(), source_->patience()} {
        if (first) shelf_.took(std::move(*first), clock_.wall(), 0);
    }
    ~Refreshing() override {
        thread_.request_stop();
        wake();
    }

    std::shared_ptr<const Keys> current(WallTime now) override {
        KeyShelf::Look look = shelf_.look(now);
        // Whether it is time is a matter between the thread and its clock, or a caller with another
        // time would wake it for each call.
        if (now >= look.due && clock_.wall() >= look.due) rouse();
        return std::move(look.keys);
    }
    void renew(const Keys& expired) override {
        if (shelf_.reject(expired, clock_.wall())) rouse();
    }
    [[nodiscard]] std::optional<Failure> problem() const override { return shelf_.problem(); }

private:
    void rouse() {
        if (run() && !fetching_.load()) wake();
    }
    // False, and a problem that calls are told, while the system has no thread left: the next call tries
    // again.
    bool run() {
        if (running_.load(std::memory_order_acquire)) return true;
        const std::lock_guard held{starting_};
        if (running_.load(std::memory_order_relaxed)) return true;
        auto started = start_thread([this](const std::stop_token& stop) { work(stop); });
        if (!started) shelf_.failed(started.error(), told_at_once, clock_.wall());
        else thread_ = *std::move(started);
        running_.store(thread_.joinable(), std::memory_order_release);
        return thread_.joinable();
    }
    void wake() {
        const std::lock_guard held{mutex_};
        wake_.request_stop();
    }
    std::stop_token next_wake() {
        const std::lock_guard held{mutex_};
        wake_ = std::stop_source{};
        return wake_.get_token();
    }

    void work(const std::stop_token& stop) {
        for (;;) {
            const std::stop_token woken = next_wake();  // before looking, or a call could be missed
            if (stop.stop_requested()) return;
            const WallTime now = clock_.wall();
            const WallTime due = shelf_.look(now).due;
            if (now < due) {
                const Duration nap = std::min<Duration>(due - now, longest_nap);
                clock_.sleep_until(after(clock_.now(), nap), woken);
                continue;
            }
            fetching_ = true;
            fetch(stop);
            fetching_ = false;
        }
    }
    // Until there are keys, or nobody wants them any more.
    void fetch(const std::stop_token& stop) {
        int failures = 0;
        auto got = caller_.run({.name = "fetch-keys", .safety = Safety::read, .stop = stop},
                               [&](const Attempt& attempt) { return try_once(attempt, failures); });
        if (got) shelf_.took(*std::move(got), clock_.wall(), random_.next());
    }
    Result<Keys> try_once(const Attempt& attempt, int& failures) {
        Result<Keys> keys = source_->fetch(attempt);
        if (keys && keys->expires && *keys->expires <= clock_.wall())
            keys = fail(
                {.cause = Cause::unavailable,
                 .effect = Effect::none,
                 .code = "expired-credentials",
                 .message = "what it gave has expired already; is this machine's clock right?"});
        if (keys) return keys;
        shelf_.failed(keys.error(), ++failures, clock_.wall());
        // Whatever it was: a role may be attached, an agent mended, a file corrected.
        return fail({.cause = Cause::unavailable, .effect = Effect::none});
    }

    std::unique_ptr<KeySource> source_;
    Clock& clock_;
    Random& random_;
    Caller caller_;
    KeyShelf shelf_;
    std::mutex mutex_;
    std::stop_source wake_;
    std::atomic<bool> fetching_{false};
    std::mutex starting_;
    std::atomic<bool> running_{false};
    std::jthread thread_;  // last: it uses the rest
};

}  // namespace

std::shared_ptr<Credentials> refreshing(std::unique_ptr<KeySource> source,
                                        const Environment& environment, std::optional<Keys> first) {
    return std::make_shared<Refreshing>(std::move(source), environment, std::move(first));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
