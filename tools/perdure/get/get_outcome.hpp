// SPDX-License-Identifier: Apache-2.0
//
// How did it end, in a sentence, in JSON and as an exit status?
//
//     if (!outcome.result) say("perdure get: " + sentence(outcome));
//     return exit_status_of(outcome);
#pragma once

#include <string>
#include <vector>

#include "get/get_request.hpp"
#include "get/timeline.hpp"
#include "perdure/call/observer.hpp"

namespace tool {

// What a script wants to know is whether to ask again, so the effect decides before the cause.
// docs/reference/get.md has the table for people.
namespace get_status {
inline constexpr int failure_answered = 1;
inline constexpr int unusable_file = 3;  // nothing was sent
inline constexpr int nothing_done = 4;
inline constexpr int unknown = 5;
inline constexpr int answer_lost = 6;  // it took effect
inline constexpr int answer_unwritten = 7;
}  // namespace get_status

// Keeps the records of calls that redirects followed, which the client's next call clears. Watches
// one client, on its thread.
class Legs final : public Observer {
public:
    explicit Legs(const Diagnostics& diagnostics) noexcept : diagnostics_{diagnostics} {}
    void on_event(const Event& event) noexcept override;

    // All of them, once the last has ended.
    [[nodiscard]] std::vector<Leg> all() const;
    [[nodiscard]] const std::vector<std::string>& earlier_json() const { return earlier_json_; }
    [[nodiscard]] Duration elapsed() const { return began_ + diagnostics_.elapsed(); }
    [[nodiscard]] int attempts() const;

private:
    const Diagnostics& diagnostics_;
    std::vector<Leg> earlier_;
    std::vector<std::string> earlier_json_;
    Leg ended_;  // the last that has ended, which may be followed by another
    std::string ended_json_;
    TimePoint first_{};
    Duration began_{};
    bool any_ = false;
};

struct GetOutcome {
    const GetOptions& options;
    const Asked& asked;
    const Result<http::Response>& result;
    const http::Response& last_answer;  // the last that was judged a failure
    const Diagnostics& diagnostics;
    const Legs& legs;
    int ended_by = 0;  // a signal
};

// The answer there is, also when it is a failure; null: none came, or not all of it.
const http::Response* answer_of(const GetOutcome& outcome);
// How far the request got that decided the outcome; null if none was made.
const Phases* deciding_phases(const std::vector<AttemptRecord>& attempts);

int exit_status_of(const GetOutcome& outcome);
std::string sentence(const GetOutcome& outcome);
std::string to_json(const GetOutcome& outcome, int exit_status);

}  // namespace tool
