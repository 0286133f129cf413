// SPDX-License-Identifier: Apache-2.0
#include "load/engine/attention.hpp"

#include <unistd.h>

#include <string_view>

#include "exit_code.hpp"
#include "perdure/time/start_thread.hpp"

namespace tool::load {

using namespace perdure;

namespace {

bool is_ending(int signal) noexcept {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// The prompt of a shell stands on a line of its own afterwards.
void erase_status_line() noexcept {
    constexpr std::string_view erase = "\r\033[K";
    if (isatty(STDERR_FILENO) == 1)
        static_cast<void>(write(STDERR_FILENO, erase.data(), erase.size()) == 0);
}

}  // namespace

// Without a thread that takes them the signals do what they do by default.
Attention::Attention() {
    if (auto started = start_thread([this] { listen(); })) listener_ = *std::move(started);
    else signals_.restore();
}

Attention::~Attention() {
    over_ = true;
    if (listener_.joinable()) listener_.join();
}

void Attention::listen() {
    while (!over_) {
        const auto signal = signals_.next(after(system_clock().now(), 50ms));
        if (signal == SIGTSTP) stop_like(SIGTSTP);
        if (!signal || !is_ending(*signal)) continue;
        // Whatever is open in the database is rolled back there.
        if (!finishing_) erase_status_line();
        if (!finishing_) _exit(exit_code::signal_offset + *signal);
        int nobody = 0;
        first_.compare_exchange_strong(nobody, *signal);
        ++heard_;
    }
}

}  // namespace tool::load
