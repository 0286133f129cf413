// SPDX-License-Identifier: Apache-2.0
//
// An HTTP service at one or more places, with one memory behind them: a call that was done at one place
// is done. A place can fall sick.
//
//     DrillMemory memory;
//     DrillPlace east{memory}, west{memory};
//     east.fall_sick(Behaviour::says_503);
//     memory.counts_of("perdure");
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
enum class Behaviour : std::uint8_t { answers, resets, says_503, hangs };

// What all places have seen: requests by the headers X-Way and X-Call. A request with an
// Idempotency-Key that was seen before takes no effect. Any thread.
class DrillMemory {
public:
    void note_request(const std::string& way, Behaviour behaviour);
    // To a request that had come while all was well.
    void note_sick_answer(const std::string& way);
    void note_connect(const std::string& way);
    void take_effect(const std::string& way, std::int64_t call, std::string_view key);
    [[nodiscard]] ServerCounts counts_of(const std::string& way) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, ServerCounts> counts_;
    std::set<std::string, std::less<>> keys_;
};

// When a place takes a request's effect: before it works for 50 ms, so that an answer can be lost, or
// behind that, so that a place that falls sick meanwhile has done nothing.
enum class Effective : std::uint8_t { at_once, with_the_answer };

// Any thread.
class DrillPlace {
public:
    DrillPlace(DrillMemory& memory, Effective effective);

    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    void fall_sick(Behaviour behaviour) noexcept { behaviour_.store(behaviour); }

private:
    struct Received {
        std::string way{};
        std::int64_t call = 0;
        std::string key{};
    };
    void read(live::Peer& peer, TimePoint now);
    void answer(live::Peer& peer);
    // Whether the place is well; else it does what the sick do.
    [[nodiscard]] bool well(live::Peer& peer) const;
    void take_effect(const Received& request);

    DrillMemory& memory_;
    const Effective effective_;
    std::map<int, Received> received_;  // the last request of each connection, by its descriptor
    std::atomic<Behaviour> behaviour_ = Behaviour::answers;
    live::TcpServer server_;  // last: it ends before what it uses
};

}  // namespace perdure::promises
