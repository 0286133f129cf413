// SPDX-License-Identifier: Apache-2.0
//
// What do sixteen threads see of an account while its regions go and come back? A crew that reads and
// writes through one client, and books of what it was told.
//
//     Drill drill{30s};
//     drill.play(events);
//     EXPECT_GE(drill.settled_reads().share(), 0.999);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/client.hpp"

namespace perdure::live {

// How calls of one kind ended. A plain value.
struct Ends {
    std::int64_t done = 0, none = 0, unknown = 0;
    std::int64_t late = 0;  // done or not, but after the deadline
    Duration longest{};

    [[nodiscard]] std::int64_t all() const noexcept { return done + none + unknown; }
    [[nodiscard]] double share() const noexcept;  // of those that were done in time
};

struct DrillEvent {
    std::string name{};
    std::function<void(chaos::CosmosGateway&)> happens{};
};

// Calls that began after an event and before the next.
struct Phase {
    std::string name{};
    TimePoint began{};
    Ends reads{}, settled_reads{}, writes{},
        settled_writes{};  // settled: begun 2 s later, ended before the next
};

class Drill {
public:
    // All events together take this long.
    explicit Drill(Duration time);
    ~Drill();

    // Ends when the last event's time is over and the crew is home.
    void play(const std::vector<DrillEvent>& events);

    [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }
    [[nodiscard]] Ends settled_reads() const;
    // Reads that gave less than this client had seen before.
    [[nodiscard]] const std::vector<std::string>& stale() const noexcept { return stale_; }
    // Why calls failed, and how often.
    [[nodiscard]] const std::map<std::string, int>& failures() const noexcept { return failures_; }
    // What was told of a write and is not true.
    [[nodiscard]] std::vector<std::string> lies() const;
    [[nodiscard]] chaos::CosmosGateway& gateway() noexcept { return *gateway_; }
    [[nodiscard]] cosmos::Client& client() noexcept { return *client_; }
    void print() const;

private:
    struct Told {
        std::string op{};
        Effect effect = Effect::none;  // applied: it was reported as done
    };
    struct Key;

    void work(int number, const std::stop_token& stop);
    void read(Key& key);
    void write(Key& key);
    void note(TimePoint began, Ends Phase::* all, Ends Phase::* settled, const Failure* failure);

    const Duration time_;
    std::unique_ptr<chaos::CosmosGateway> gateway_;
    std::unique_ptr<cosmos::Client> client_;
    std::mutex mutex_;
    std::vector<Phase> phases_;
    std::vector<std::string> stale_;
    std::map<std::string, int> failures_;
    std::vector<Told> told_;
};

}  // namespace perdure::live
