// SPDX-License-Identifier: Apache-2.0
//
// What exactly happened in this call? The bounded record of every attempt, also when it went well.
//
//     Diagnostics diagnostics;
//     users.run({.name = "load", .diagnostics = &diagnostics}, load);
//     log(diagnostics.to_json());
//
// The first 10 and the last 5 attempts are kept, and how many there were between. Never holds
// keys, tokens or bodies. Holds evidence against ourselves too: overslept waits, own processor time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/call/event.hpp"
#include "perdure/call/phases.hpp"

namespace perdure {
inline namespace v0 {

struct AttemptRecord {
    int number = 0;
    bool hedge = false;
    Duration started{};  // since the call began
    Duration took{};
    Duration waited_before{};
    Duration overslept{};
    Duration overran{};  // how long after its deadline a blocking attempt ended
    bool succeeded = false;
    bool cut_off = false;
    Cause cause{};
    Effect effect{};
    int status = 0;
    std::string code{};
    std::string request_id{};
    RemedySet remedies{};
    std::optional<Phases> phases{};  // of attempts made by a transport
    std::string place{};             // where it went: "users.internal:443"
    std::optional<Duration> retry_after{};
};

// What only the caller knows of its call.
struct Description {
    std::string_view
        subject{};           // what it is about: an id, a partition key; kept as a keyed hash only
    std::int64_t bytes = 0;  // how large the request is
    double charge = 0;       // what the service charged for it, in its own units
};

// Used by one call at a time; may be reused for the next, which clears it.
class Diagnostics {
public:
    static constexpr std::size_t first_kept = 10;
    static constexpr std::size_t last_kept = 5;

    void note(const Event& event);  // for Progress
    void note_phases(int number,
                     const Phases& phases) noexcept;  // for transports, at an attempt's end
    void note_place(int number, std::string place);
    void note_cpu(Duration cpu) noexcept { cpu_ = cpu; }
    void note_began(WallTime wall) noexcept {
        began_ = wall;
    }  // for drivers, before the first event
    // Before the call, or in it once the charge is known; stays until the next description.
    void describe(const Description& description) noexcept;

    [[nodiscard]] std::vector<AttemptRecord> attempts() const;  // those that were kept, in order
    [[nodiscard]] std::size_t left_out() const noexcept;
    [[nodiscard]] bool succeeded() const noexcept { return succeeded_; }
    [[nodiscard]] Stop stop() const noexcept { return stop_; }
    [[nodiscard]] Duration elapsed() const noexcept { return elapsed_; }
    [[nodiscard]] Duration cpu() const noexcept { return cpu_; }
    [[nodiscard]] int times_asked() const noexcept { return asked_; }
    [[nodiscard]] std::size_t attempts_made() const noexcept { return total_; }
    [[nodiscard]] WallTime began() const noexcept { return began_; }
    [[nodiscard]] const std::string& dependency() const noexcept { return dependency_; }
    [[nodiscard]] std::string to_json() const;
    // What stands in to_json() after the dependency, for lines that begin otherwise: ,"operation":…
    void append_fields(std::string& json) const;

private:
    AttemptRecord* find(int number) noexcept;
    void clear(const Event& event);
    void start(const Event& event);
    void append_description(std::string& json) const;

    std::string dependency_, operation_;
    std::vector<AttemptRecord> first_, last_;
    std::size_t total_ = 0;
    Duration waited_{}, overslept_{};
    RemedySet remedies_{};
    Duration elapsed_{}, cpu_{};
    Stop stop_ = Stop::none;
    Effect effect_{};
    bool succeeded_ = false;
    int asked_ = 0;
    int budget_milli_ = 0;
    Duration deadline_{}, attempt_timeout_{};
    WallTime began_{};
    std::uint64_t subject_ = 0;  // 0: none
    std::int64_t bytes_ = 0;
    double charge_ = 0;
};

}  // namespace v0
}  // namespace perdure
