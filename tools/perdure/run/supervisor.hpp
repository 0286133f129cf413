// SPDX-License-Identifier: Apache-2.0
//
// How does one attempt at a command go, from its start to the end of everything it started?
//
//     Supervisor supervisor{command, signals, clock, {.kill_after = 2s}};
//     const End end = supervisor.run(attempt);
//
// Forwards signals, ends the group when the attempt's time is up, lends it the terminal. Decides
// nothing about attempts: that is Progress's business.
#pragma once

#include <string>
#include <vector>

#include "perdure/call/attempt.hpp"
#include "run/process_group.hpp"
#include "text/terminal.hpp"

namespace tool {

struct Patience {
    Duration kill_after = 2s;  // between SIGTERM and SIGKILL, and never beyond the call's deadline
    Duration reserve{};        // of the call's deadline, kept free for that
};

// Used by one thread.
class Supervisor {
public:
    Supervisor(const std::vector<std::string>& command, Signals& signals, Clock& clock,
               Patience patience)
        : command_{command}, signals_{signals}, clock_{clock}, patience_{patience} {}

    End run(const Attempt& attempt);

private:
    enum class Waited : unsigned char { done, too_long };
    template <class Done>
    Waited watch(ProcessGroup& group, TimePoint until, Done done);
    Waited end_all(ProcessGroup& group, TimePoint kill_at);
    void take(ProcessGroup& group, int signal);
    void stopped(ProcessGroup& group, int by);
    void resume(ProcessGroup& group);
    void hear_keyboard(const End& end);

    const std::vector<std::string>& command_;
    Signals& signals_;
    Clock& clock_;
    const Patience patience_;
    Terminal terminal_;
    bool wants_terminal_ = false;
};

}  // namespace tool
