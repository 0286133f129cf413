// SPDX-License-Identifier: Apache-2.0
//
// How do threads turn a batch? Each takes a step under the lock and does it outside; who finds nothing
// to do sleeps until there is a time to keep or news.
#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "perdure/call/batch.hpp"
#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {
namespace detail {

namespace {

class Crew {
public:
    Crew(Caller& caller, const Operation& operation, BatchProgress& batch, std::size_t most,
         SendChunk send)
        : clock_{caller.environment().clock},
          operation_{operation},
          batch_{batch},
          send_{send},
          most_{most} {}

    // On the calling thread, which is one of the crew.
    void run() {
        work();
        for (std::jthread& other : others_) other.join();
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    using Lock = std::unique_lock<std::mutex>;

    void work() {
        Lock lock{mutex_};
        try {
            while (!thrown_ && take_step(lock)) {}
        } catch (...) {  // the user's: passed on untouched, never repeated
            if (!lock.owns_lock()) lock.lock();
            if (!thrown_) thrown_ = std::current_exception();
        }
        tell_others(lock);
    }

    // False at the end.
    bool take_step(Lock& lock) {
        const TimePoint now = clock_.now();
        stopped_ = stopped_ || operation_.stop.stop_requested();
        if (stopped_) batch_.cancelled(now);
        const BatchStep next = batch_.next(now);
        switch (next.step.kind) {
            case StepKind::attempt: send(next, lock); return true;
            case StepKind::prepare: prepare(next, lock); return true;
            case StepKind::wait: sleep_until(next.step.until, lock); return true;
            default: return false;
        }
    }

    void send(const BatchStep& step, Lock& lock) {
        const Chunk chunk = batch_.chunk(step.lane);
        AttemptLink link{operation_.stop, AttemptLink::Lends::outside};
        const Attempt attempt = batch_.attempt(step, clock_, &link);
        call_in_another(lock);
        lock.unlock();
        Result<ChunkMarks> answer = send_(chunk, attempt);
        const TimePoint ended = clock_.now();
        lock.lock();
        if (answer) batch_.answered(step.lane, *std::move(answer), ended);
        else batch_.failed(step.lane, std::move(answer.error()), link.nested(), ended);
        tell_others(lock);
    }

    void prepare(const BatchStep& step, Lock& lock) {
        AttemptLink link{operation_.stop, AttemptLink::Lends::outside};
        const Attempt attempt = batch_.attempt(step, clock_, &link);
        lock.unlock();
        Result<void> outcome = operation_.prepare(step.step.remedies, attempt);
        const TimePoint ended = clock_.now();
        lock.lock();
        batch_.prepared(step.lane, std::move(outcome), ended);
        tell_others(lock);
    }

    // A further thread when this one is about to be busy and there is more to send.
    void call_in_another(const Lock&) {
        if (!naps_.empty() || others_.size() + 1 >= most_ || !batch_.wants_more(clock_.now()))
            return;
        // Not afterwards: without memory a thread that is joined here would wait for our lock.
        others_.reserve(others_.size() + 1);
        auto started = start_thread([this] { work(); });
        if (started) others_.push_back(*std::move(started));
        else most_ = others_.size() + 1;  // the machine has no more threads: those here will do
    }

    void sleep_until(TimePoint until, Lock& lock) {
        std::stop_source news;
        naps_.push_back(&news);
        const std::stop_token woken = news.get_token();
        auto wake = [&news]() noexcept { news.request_stop(); };
        std::optional<std::stop_callback<decltype(wake)>> on_stop;
        // Once the batch knows of it, only sends under way are waited for: their ends are news.
        if (!stopped_) on_stop.emplace(operation_.stop, wake);
        lock.unlock();
        (void)clock_.sleep_until(until, woken);
        on_stop.reset();
        lock.lock();
        std::erase(naps_, &news);
    }

    void tell_others(const Lock&) {
        for (std::stop_source* nap : naps_) nap->request_stop();
    }

    Clock& clock_;
    const Operation& operation_;
    BatchProgress& batch_;
    const SendChunk send_;
    std::size_t most_;
    std::mutex mutex_;
    std::vector<std::jthread> others_;
    std::vector<std::stop_source*> naps_;
    std::exception_ptr thrown_;
    bool stopped_ = false;  // and the batch has been told
};

}  // namespace

BatchTotals drive_batch(Caller& caller, const Attempt* parent, const Operation& operation,
                        const BatchOptions& options, std::size_t items, SendChunk send) {
    const Environment& environment = caller.environment();
    BatchProgress batch{caller.memory(),
                        operation,
                        options,
                        items,
                        {.now = environment.clock.now(),
                         .random = &environment.random,
                         .observer = environment.observer,
                         .parent = parent}};
    const auto most = static_cast<std::size_t>(std::max(options.parallel.most, 1));
    Crew{caller, operation, batch, most, send}.run();
    return batch.take_totals(environment.clock.now());
}

}  // namespace detail
}  // namespace v0
}  // namespace perdure
