// SPDX-License-Identifier: Apache-2.0
//
// How is a process started that surely ends with us, however we end?
//
//     Child child{{"perdure", "load", …}, {.out = "load.json", .log = "load.log"}, signals};
//     while (child.runs()) …
//     child.kill();               // SIGKILL; so does the destructor
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "run/signals.hpp"

namespace demo {

// Files to which a child's words are added.
struct Outputs {
    std::string out{};
    std::string log{};
};

// Used by the thread that made it.
class Child {
public:
    Child(const std::vector<std::string>& command, const Outputs& outputs,
          const tool::Signals& signals);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    [[nodiscard]] bool runs();
    void kill() noexcept;
    // Of one that ended: its exit status, or 128 + the signal.
    [[nodiscard]] int status() const noexcept { return status_; }

private:
    void take(int wait_status) noexcept;

    pid_t pid_ = -1;  // none: it has ended and its status was taken
    int status_ = 127;
};

}  // namespace demo
