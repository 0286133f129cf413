// SPDX-License-Identifier: Apache-2.0
//
// Who hears Ctrl-C while the load waits for something else? A thread of its own, from the start to the
// end. Where nothing is under way that would have to be finished, the signal ends the process at once.
//
//     const Attention attention;
//     attention.finish_first();                 // from now on: count, and let me see to it
//     while (attention.heard() == 0) …
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include "run/signals.hpp"

namespace tool::load {

// Made and ended by the main thread, before any other thread begins: they leave the signals to it.
class Attention {
public:
    Attention();
    Attention(const Attention&) = delete;
    Attention& operator=(const Attention&) = delete;
    ~Attention();

    void finish_first() noexcept { finishing_ = true; }
    void end_at_once() noexcept { finishing_ = false; }
    // How often an ending signal has come since finish_first(), and the first of them; 0: none.
    [[nodiscard]] int heard() const noexcept { return heard_; }
    [[nodiscard]] int first() const noexcept { return first_; }

private:
    void listen();

    Signals signals_;
    std::atomic<bool> finishing_{false};
    std::atomic<bool> over_{false};
    std::atomic<int> heard_{0};
    std::atomic<int> first_{0};
    std::jthread listener_;
};

}  // namespace tool::load
