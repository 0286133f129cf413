// SPDX-License-Identifier: Apache-2.0
#include "perdure/telemetry/journal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <unistd.h>

#include "perdure/telemetry/journal_line.hpp"
#include "perdure/time/start_thread.hpp"
#include "rotating_file.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// After a failure the disk is left alone for so long; the queue holds what comes meanwhile.
constexpr Duration try_again_in = 1s;
// A file holds its first line, names and all, several times over.
constexpr std::size_t longest_name = 200;
constexpr std::uint64_t least_bytes = 16'384;

std::string host_and_process() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
    return std::string{host.data()} + '-' + std::to_string(::getpid());
}

JournalOptions sound(JournalOptions options) {
    if (options.instance.empty()) options.instance = host_and_process();
    options.service_name.resize(std::min(options.service_name.size(), longest_name));
    options.instance.resize(std::min(options.instance.size(), longest_name));
    options.files = std::max(options.files, 1);
    options.most_bytes = std::max<std::uint64_t>(options.most_bytes, least_bytes);
    options.sample = std::max<std::uint64_t>(options.sample, 1);
    options.write_every = std::max<Duration>(options.write_every, 1ms);
    return options;
}

// One in n, but not every n-th: two kinds of calls that take turns must both be seen.
bool drawn(std::uint64_t number, std::uint64_t one_in) noexcept {
    number = (number ^ number >> 30U) * 0xbf58476d1ce4e5b9U;
    number = (number ^ number >> 27U) * 0x94d049bb133111ebU;
    return (number ^ number >> 31U) % one_in == 0;
}

}  // namespace

// Shared with the thread, which outlives the journal if the disk hangs.
struct Journal::Inside {
    Inside(JournalOptions chosen, Clock& its_clock)
        : options{sound(std::move(chosen))},
          clock{its_clock},
          file{{options.path, options.most_bytes, options.files}, [this](JournalEvent event) {
                   return journal_line(event, clock.wall(), dropped_in_all, stamp());
               }} {
        pending.reserve(options.queue_bytes);
        batch.reserve(options.queue_bytes);
    }

    [[nodiscard]] JournalStamp stamp(std::uint64_t weight = 1) const noexcept {
        return {options.service_name, options.instance, weight};
    }
    static void start(const std::shared_ptr<Inside>& its);
    void note(const Diagnostics& call);
    void run();
    void wait(std::unique_lock<std::mutex>& lock);
    void tick(TimePoint now);
    void take_in();
    void write(std::unique_lock<std::mutex>& lock);

    const JournalOptions options;
    Clock& clock;

    std::atomic<std::uint64_t> calls{0}, failed{0}, healthy{0}, sampled_out{0};
    std::atomic<std::uint64_t> dropped{0};  // at the queue

    std::mutex mutex;  // never held while the disk is touched
    std::condition_variable work, done;
    std::string pending;
    std::uint64_t asked = 0, answered = 0;  // flushes
    bool hurry = false, stopping = false, ended = false;
    JournalCounts told{};  // what the thread has to say

    // The thread's own.
    RotatingFile file;
    std::string batch;
    std::uint64_t dropped_in_all = 0;  // as of its last look
    std::uint64_t dropped_told = 0, calls_told = 0, failed_told = 0;
    TimePoint ticked{}, next_tick = TimePoint::max(), rest_until{};
    Duration cpu{}, late{};
    bool opened = false;  // or tried to
    std::jthread thread;
    std::atomic<bool> running{false};
};

void Journal::Inside::note(const Diagnostics& call) {
    const bool well = call.succeeded() && call.attempts_made() == 1 && call.times_asked() == 0;
    std::uint64_t weight = 1;
    if (well && options.sample > 1) {
        weight = options.sample;
        if (!drawn(healthy.fetch_add(1, std::memory_order_relaxed), options.sample)) {
            sampled_out.fetch_add(1, std::memory_order_relaxed);
            return;
        }
    }
    std::string line = call_line(call, stamp(weight));
    line += '\n';
    const std::lock_guard lock{mutex};
    if (pending.size() + line.size() > options.queue_bytes) {
        dropped.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    pending += line;
    if (pending.size() > options.queue_bytes / 2 && !std::exchange(hurry, true)) work.notify_one();
}

// Until there is something to do. How late the timer is says how starved the process is; who was woken
// by others knows nothing about that.
void Journal::Inside::wait(std::unique_lock<std::mutex>& lock) {
    const TimePoint now = clock.now();
    const TimePoint until = std::min(after(now, options.write_every), next_tick);
    const auto called = [&] { return stopping || hurry || asked != answered; };
    // In pieces of an hour, since "never" is too far for the library.
    if (work.wait_for(lock, std::clamp<Duration>(until - now, 0ns, 1h), called)) return;
    late = std::max(late, clock.now() - std::max(until, now));
}

void Journal::Inside::tick(TimePoint now) {
    const Duration used = clock.process_cpu();
    const Duration interval = now - ticked;
    const double possible = static_cast<double>(interval.count()) * clock.allowed_cores();
    const std::uint64_t all_calls = calls.load(), all_failed = failed.load();
    const std::string line = process_line(
        {.at = clock.wall(),
         .interval = interval,
         .cpu_utilization = possible > 0 ? static_cast<double>((used - cpu).count()) / possible : 0,
         .tick_late = late,
         .calls = all_calls - std::exchange(calls_told, all_calls),
         .failed = all_failed - std::exchange(failed_told, all_failed),
         .dropped_lines = dropped_in_all - std::exchange(dropped_told, dropped_in_all)},
        stamp());
    batch += line;
    batch += '\n';
    ticked = now;
    cpu = used;
    late = {};
    next_tick = after(now, options.process_every);
}

// Both buffers are of full size from the beginning: nothing is allocated while callers wait.
void Journal::Inside::take_in() {
    if (batch.empty()) return std::swap(pending, batch);
    batch += pending;  // behind a line about the process that could not be written yet
    pending.clear();
}

void Journal::Inside::write(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t answering = asked;
    const TimePoint now = clock.now();
    const bool rests = now < rest_until && !stopping && !hurry && answering == answered;
    hurry = false;
    if (!rests) take_in();
    const bool last = stopping;
    const bool first = !std::exchange(opened, true);
    lock.unlock();
    dropped_in_all = dropped.load() + told.dropped;
    Written written{};
    try {
        if (options.process_every > 0ns && (now >= next_tick || last)) tick(now);
        if (!rests && (first || !batch.empty())) written = file.write(batch);
    } catch (...) {  // out of memory
        written = {.dropped = static_cast<std::uint64_t>(std::ranges::count(batch, '\n'))};
    }
    if (!rests) batch.clear();
    if (written.dropped > 0) rest_until = after(now, try_again_in);
    lock.lock();
    told.written += written.lines;
    told.dropped += written.dropped;
    told.rotations = file.rotations();
    told.error = file.error();
    answered = answering;
    done.notify_all();
}

void Journal::Inside::run() {
    // Handlers of others do not belong here, and a limit on file sizes must not end the process.
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ticked = clock.now();
    cpu = clock.process_cpu();
    if (options.process_every > 0ns) next_tick = after(ticked, options.process_every);
    std::unique_lock lock{mutex};
    for (bool last = false; !last;) {
        if (opened) wait(lock);
        last = stopping;
        write(lock);
    }
    ended = true;
    done.notify_all();
}

Journal::Journal(JournalOptions options, Clock& clock)
    : inside_{std::make_shared<Inside>(std::move(options), clock)} {
    Inside::start(inside_);
}

// If the system has no thread left, the queue holds what comes, the counts say so, and the next call
// tries again.
void Journal::Inside::start(const std::shared_ptr<Inside>& its) {
    const std::lock_guard lock{its->mutex};
    if (its->running.load(std::memory_order_relaxed)) return;
    auto started = start_thread([its] { its->run(); });
    its->told.error = started ? 0 : EAGAIN;
    if (!started) return;
    its->thread = *std::move(started);
    its->running.store(true, std::memory_order_release);
}

Journal::~Journal() {
    std::unique_lock lock{inside_->mutex};
    if (!inside_->running.load(std::memory_order_relaxed)) return;
    inside_->stopping = true;
    inside_->work.notify_one();
    const bool over = inside_->done.wait_for(lock, inside_->options.close_within,
                                             [this] { return inside_->ended; });
    lock.unlock();
    if (over) inside_->thread.join();
    else inside_->thread.detach();
}

void Journal::on_event(const Event&) noexcept {}

void Journal::on_call(const Diagnostics& call) noexcept {
    inside_->calls.fetch_add(1, std::memory_order_relaxed);
    if (!call.succeeded()) inside_->failed.fetch_add(1, std::memory_order_relaxed);
    try {
        inside_->note(call);
        if (!inside_->running.load(std::memory_order_acquire)) Inside::start(inside_);
    } catch (...) {  // out of memory: a journal must not fail the call it describes
        inside_->dropped.fetch_add(1, std::memory_order_relaxed);
    }
}

Journal::Flushed Journal::flush(Duration within) {
    std::unique_lock lock{inside_->mutex};
    const std::uint64_t mine = ++inside_->asked;
    inside_->work.notify_one();
    const bool in_time =
        inside_->done.wait_for(lock, within, [&] { return inside_->answered >= mine; });
    return in_time ? Flushed::yes : Flushed::not_in_time;
}

JournalCounts Journal::counts() const {
    const std::lock_guard lock{inside_->mutex};
    JournalCounts counts = inside_->told;
    counts.calls = inside_->calls.load();
    counts.dropped += inside_->dropped.load();
    counts.sampled_out = inside_->sampled_out.load();
    return counts;
}

}  // namespace v0
}  // namespace perdure
