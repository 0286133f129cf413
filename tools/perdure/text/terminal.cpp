// SPDX-License-Identifier: Apache-2.0
#include "text/terminal.hpp"

#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace tool {

Terminal::~Terminal() {
    if (fd_ >= 0) close(fd_);
}

bool Terminal::lend_to(pid_t group) noexcept {
    if (fd_ < 0) fd_ = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0 || tcgetpgrp(fd_) != getpgrp()) return false;
    if (!lent()) modes_known_ = tcgetattr(fd_, &modes_) == 0;
    if (tcsetpgrp(fd_, group) != 0) return false;
    lent_to_ = group;
    return true;
}

void Terminal::take_back(Modes modes) noexcept {
    if (!lent()) return;
    // A shell may have taken it meanwhile, to put us into the background; then it stays there.
    const pid_t holder = tcgetpgrp(fd_);
    const bool ours_to_take = holder == lent_to_ || (holder > 0 && kill(-holder, 0) != 0);
    lent_to_ = 0;
    if (!ours_to_take || tcsetpgrp(fd_, getpgrp()) != 0) return;
    if (modes == Modes::as_before && modes_known_) tcsetattr(fd_, TCSADRAIN, &modes_);
}

}  // namespace tool
