// SPDX-License-Identifier: Apache-2.0
#include "get/interruption.hpp"

#include <pthread.h>

#include "perdure/time/start_thread.hpp"

namespace tool {

using perdure::start_thread;

namespace {

// Wakes the listener at the end. Nobody else sends it, and by default it does nothing.
constexpr int wake_up = SIGURG;

bool is_ignored(int signal) {
    struct sigaction now{};
    return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption() {
    sigemptyset(&taken_);
    sigaddset(&taken_, wake_up);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        if (!is_ignored(signal)) sigaddset(&taken_, signal);
    pthread_sigmask(SIG_BLOCK, &taken_, &mask_before_);
    if (auto started = start_thread([this] { listen(); })) listener_ = *std::move(started);
    // Without a thread that takes them the signals do what they do by default.
    else pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

Interruption::~Interruption() {
    if (!listener_.joinable()) return;
    over_ = true;
    pthread_kill(listener_.native_handle(), wake_up);
    listener_.join();
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Interruption::listen() {
    while (!over_) {
        int signal = 0;
        if (sigwait(&taken_, &signal) != 0 || signal == wake_up) continue;
        int none = 0;
        by_.compare_exchange_strong(none, signal);
        stop_.request_stop();
    }
}

}  // namespace tool
