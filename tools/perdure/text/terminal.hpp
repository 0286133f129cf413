// SPDX-License-Identifier: Apache-2.0
//
// Who has the keyboard? The terminal serves one process group at a time: ours, until a command asks
// to read from it.
//
//     if (terminal.lend_to(group.id())) group.signal(SIGCONT);   // it was stopped by SIGTTIN
//     terminal.take_back(Modes::as_before);
//
// Lent on demand and not from the start, for two reasons: a Ctrl-C comes to us, who know that it
// also means "no further attempt"; and in `perdure run -- dump | less` the keyboard stays less's.
#pragma once

#include <sys/types.h>
#include <termios.h>

namespace tool {

enum class Modes : unsigned char { as_they_are, as_before };

// Used by one thread.
class Terminal {
public:
    Terminal() = default;
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // False where it is not ours to lend: we are in the background, or there is none.
    bool lend_to(pid_t group) noexcept;
    // `as_before`: for a command that was ended in the middle, with echo off perhaps.
    void take_back(Modes modes) noexcept;
    [[nodiscard]] bool lent() const noexcept { return lent_to_ > 0; }

private:
    int fd_ = -1;
    pid_t lent_to_ = 0;
    bool modes_known_ = false;
    termios modes_{};
};

}  // namespace tool
