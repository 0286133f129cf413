// SPDX-License-Identifier: Apache-2.0
//
// Who is on the stage? Calls, the requests they send, the replicas that serve them, and the links
// along which calls are made. State only; what they do is in world.hpp.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "perdure/call/progress.hpp"
#include "perdure/sim/scenario.hpp"
#include "pool.hpp"
#include "route.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

using Index = std::uint32_t;
inline constexpr Index no_index = UINT32_MAX;

inline TimePoint time_point(std::int64_t at) { return TimePoint{Duration{at}}; }

// An attempt on its way through a service.
struct Request {
    enum class Stage : std::uint8_t { travelling, queued, running, calling, answered, cancelled };
    std::int64_t deadline = 0;
    std::int64_t arrived = 0;  // on the way there: when it was sent
    std::int64_t begun = 0;
    std::uint64_t call_number = 0;
    Index call = 0;
    std::uint32_t call_stamp = 0;
    std::uint32_t stamp = 0;
    Index next = no_index;  // in the queue, or of the free places
    Index replica = 0;
    std::int32_t number = 0;
    std::uint32_t key = 0;  // of the client's call behind it all; decides its shard everywhere
    std::uint8_t service = 0;
    std::uint8_t called = 0;  // how many of the services behind it have answered; or `refused`
    Stage stage = Stage::travelling;
    std::uint8_t cause = ok;
    static constexpr std::uint8_t ok = 0xff;
    static constexpr std::uint8_t refused = 0xfe;  // told no before any work
    static constexpr std::uint8_t not_connected = 0xfd;
    static constexpr std::uint8_t none_called = 0xff;
};

// What a call needs once it is more than one attempt under way: the library's own state machine.
struct Turn {
    Turn(Memory& memory, const Operation& shared, Deadline deadline, const Setting& setting,
         Stream stream, KnownPlaces* known)
        : random{stream},
          route{known},
          own{shared},
          progress{memory,
                   with(own, deadline, known ? &route : nullptr),
                   {.now = setting.now, .random = &random, .driving = Driving::concurrent}} {}

    struct Sent {
        int number;
        Index request;
        std::uint32_t stamp;
        Index replica;
    };
    // Takes it off the list of those under way; nothing if it was not on it.
    std::optional<Sent> ended(int number) {
        for (Sent& one : sent)
            if (one.number == number) {
                const Sent found = one;
                one = sent.back();
                sent.pop_back();
                return found;
            }
        return std::nullopt;
    }
    [[nodiscard]] bool is_at(Index replica) const {
        return std::ranges::any_of(sent, [&](const Sent& one) { return one.replica == replica; });
    }

    StreamRandom random;
    Route route;  // used only where there are places
    Operation own;
    Progress progress;
    std::int64_t armed = -1;   // when it wants to be woken
    std::uint64_t alarm = 0;   // … and by which event
    std::vector<Sent> sent{};  // attempts under way

private:
    static const Operation& with(Operation& operation, Deadline deadline, Places* places) {
        operation.deadline = deadline;
        operation.places = places;
        return operation;
    }
};

struct Call {
    std::int64_t started = 0;
    std::uint64_t number = 0;  // names its random numbers
    std::unique_ptr<Turn> turn{};
    std::uint32_t stamp = 0;
    Index next = no_index;
    Index memory = 0;          // of its link
    Index request = no_index;  // the first attempt
    std::uint32_t request_stamp = 0;
    Index replica = 0;
    Index parent = no_index;  // the request whose handler makes this call
    std::uint32_t key = 0;    // see Request
    std::uint16_t link = 0;
    std::uint8_t service = 0;  // of its latest attempt
};

struct Replica {
    int busy = 0;
    int waiting = 0;
    int cancelled = 0;      // still in the queue, but nobody wants them
    std::int64_t debt = 0;  // work owed for rejections
    Index head = no_index, tail = no_index;
};

// Along which calls are made under one plan: link 0 is the clients', link s + 1 that of service s.
struct Link {
    Link(const Plan& plan, int callers) {
        operation.name = "simulated";
        operation.safety = Safety::read;
        for (int i = 0; i < callers; ++i)
            memories.push_back(std::make_unique<Memory>(plan, Keeps::counts));
        timeout = memories.front()->attempt_timeout();
        plain = memories.front()->plain() && !plan.learn_timeout;
        breaker = memories.front()->breaker() != nullptr;
    }
    std::vector<std::unique_ptr<Memory>> memories{};
    std::vector<KnownPlaces> known{};  // of each caller; empty: there is nothing to choose
    Operation operation{};
    Duration timeout{};
    bool plain = false;
    bool breaker = false;
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
