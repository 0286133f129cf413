// SPDX-License-Identifier: Apache-2.0
//
// What does `perdure run` tell its user? A line for each failed attempt and what follows from it,
// and at the end, if asked for, everything as one line of JSON.
//
//     perdure: attempt 1 of 4 failed after 31 ms: exit status 7; next one in 45 ms
#pragma once

#include <string>

#include "perdure/call/diagnostics.hpp"
#include "perdure/call/observer.hpp"
#include "perdure/result_void.hpp"

namespace tool {

using namespace perdure;

enum class Voice : unsigned char { speaks, quiet };

// Used by one call at a time.
class RunReport final : public Observer {
public:
    RunReport(Voice voice, int attempts) : voice_{voice}, attempts_{attempts} {}

    void on_event(const Event& event) noexcept override;
    [[nodiscard]] Duration waited() const noexcept { return waited_; }

private:
    [[nodiscard]] std::string attempt_text(const Event& event) const;
    const Voice voice_;
    const int attempts_;   // 0: no limit
    std::string attempt_;  // how the last one failed, until it is known what follows
    Duration waited_{};
    bool waits_ = false;
    TimePoint wait_began_{};
};

struct Summary {
    std::string command;
    int exit_status = 0;
    const Result<void>& result;
    const Diagnostics& diagnostics;
    Duration waited{};
};

std::string to_json(const Summary& summary);

}  // namespace tool
