// SPDX-License-Identifier: Apache-2.0
//
// An HTTP service at one or more places, with one memory behind them: a call that was done at one place
// is done. A place can fall sick.
//
//     DrillMemory memory;
//     DrillPlace east{memory}, west{memory};
//     east.fall_sick(Mood::says_503);
//     memory.books_of("perdure");
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "live/support/tcp_server.hpp"
#include "promises/support/drill.hpp"

namespace perdure::promises {

// Sick places do nothing for a request.
enum class Mood : std::uint8_t { answers, resets, says_503, hangs };

// What all places have seen: requests by the headers X-Way and X-Call. A request with an
// Idempotency-Key that was seen before takes no effect. Any thread.
class DrillMemory {
public:
    void note_request(const std::string& way, Mood mood);
    void note_connect(const std::string& way);
    void take_effect(const std::string& way, std::int64_t call, std::string_view key);
    [[nodiscard]] Books books_of(const std::string& way) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, Books> books_;
    std::set<std::string, std::less<>> keys_;
};

// Takes the effect when the request has arrived, and answers 50 ms later. Any thread.
class DrillPlace {
public:
    explicit DrillPlace(DrillMemory& memory);

    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    void fall_sick(Mood mood) noexcept { mood_.store(mood); }

private:
    void read(live::Peer& peer, TimePoint now);

    DrillMemory& memory_;
    std::atomic<Mood> mood_ = Mood::answers;
    live::TcpServer server_;  // last: it ends before what it uses
};

}  // namespace perdure::promises
