// SPDX-License-Identifier: Apache-2.0
//
// How do calls get into a file that `perdure doctor` can read? An observer that writes one line of
// JSON for each call that ended, without ever holding the call up.
//
//     Journal journal{{.path = "/var/log/shop/calls.jsonl", .service_name = "shop"}};
//     Caller users{plan, {.observer = &journal}};
//
// Lines go into a bounded queue, and a thread of the journal's own writes them. When the queue is full,
// the disk is full or the directory is gone, lines are dropped and counted, and writing is tried again
// later. Files are rotated: path, path.1, path.2 …. One path for each process.
#pragma once

#include "perdure/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "perdure/call/observer.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {

struct JournalOptions {
    std::string path = "perdure.jsonl";
    std::string service_name = "unnamed";
    std::string instance{};                 // empty: host name and process id
    std::uint64_t most_bytes = 64u << 20u;  // of one file
    int files = 4;                          // all together, at least 1
    // Of calls that succeeded at their first attempt, one in so many is written, with this weight.
    std::uint64_t sample = 1;
    std::size_t queue_bytes = 4u << 20u;
    Duration process_every = 1s;   // a line about the process itself; zero: none
    Duration write_every = 100ms;  // at the latest
    Duration close_within = 1s;    // how long the destructor waits for a disk that hangs
};

struct JournalCounts {
    std::uint64_t calls = 0;    // that ended
    std::uint64_t written = 0;  // lines, of all kinds
    std::uint64_t dropped = 0;
    std::uint64_t sampled_out = 0;
    std::uint64_t rotations = 0;
    int error = 0;  // errno of the last attempt to write; 0: it went well
};

// Safe for any number of threads. Outlives the callers it observes.
class Journal final : public Observer {
public:
    explicit Journal(JournalOptions options, Clock& clock = system_clock());
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal() override;  // writes what is queued

    void on_event(const Event& event) noexcept override;
    [[nodiscard]] bool wants_calls() const noexcept override { return true; }
    void on_call(const Diagnostics& call) noexcept override;

    enum class Flushed : std::uint8_t { yes, not_in_time };
    // Waits until everything noted before is written or dropped.
    Flushed flush(Duration within = 1s);
    [[nodiscard]] JournalCounts counts() const;

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace perdure
