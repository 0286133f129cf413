// SPDX-License-Identifier: Apache-2.0
//
// How does Ctrl-C end a request that waits on sockets, so that there is still time to say whether it
// took effect?
//
//     const Interruption interruption;
//     client.send(request, {.stop = interruption.stop()});
//     if (interruption.by() != 0) …
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace tool {

// Made and ended by the main thread, before any other thread begins: they leave the signals to it.
// Ends without waiting.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    // Asked for by SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless they were ignored when we began.
    [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
    [[nodiscard]] int by() const noexcept { return by_; }  // the first of them; 0: none

private:
    void listen();

    sigset_t taken_{};
    sigset_t mask_before_{};
    std::stop_source stop_;
    std::atomic<int> by_ = 0;
    std::atomic<bool> over_ = false;
    std::jthread listener_;
};

}  // namespace tool
