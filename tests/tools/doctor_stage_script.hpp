// SPDX-License-Identifier: Apache-2.0
//
// What is played for `perdure doctor`? A fleet, the services it calls, and one story: what goes wrong,
// where and when. Everything is drawn from a seed.
//
//     const Script script = write_script(Story::slow_dns, seed, {});
//     play(script, folder);
//
// A script knows nothing of how the doctor reads it. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/call/plan.hpp"
#include "perdure/safety.hpp"

namespace stage {

using perdure::Duration;

enum class Story : std::uint8_t {
    healthy,
    sick_instance,
    regional_outage,
    hot_key,
    client_cpu,
    slow_dns,
    short_timeout,
    retry_storm,
};
inline constexpr int story_count = 8;
std::string_view to_string(Story story);
std::optional<Story> story_named(std::string_view name);

struct Window {
    Duration from{};
    Duration to = perdure::never;
    [[nodiscard]] bool holds(Duration at) const { return from <= at && at < to; }
};

enum class Kind : std::uint8_t {
    loss,         // packets are lost and sent again: delays of retransmission, broken connections
    slow_disk,    // requests and answers wait for the process's own disk
    descriptors,  // no new socket can be opened
    refused,      // nobody listens any more
    silent,       // nothing comes back
    erroring,     // a share of the answers is 503
    slow_server,  // work takes `factor` as long
    starved,      // whatever the process wants to do, it does later
    paused,       // the process stands still until the end of the window
    busy,         // high utilisation, and nothing else
    slow_dns,     // names take long
    short_of_hands,  // the service can do `factor` of what it could
    hot,             // one subject has this share of the dependency's calls
    tight_timeout,   // the timeout of the plan is at fault; marks what it hits
};
inline constexpr int kind_count = 14;
inline constexpr int every = -1;

// Also the harmless ones that make up noise.
struct Fault {
    Kind kind = Kind::loss;
    Window when{};
    int instance = every;
    int dependency = every;
    int endpoint = every;
    double share = 1;   // of what it can hit
    double factor = 1;  // see the kind
    Duration median{};  // of the delay it adds
    double sigma = 0.8;
    bool of_story = false;  // not noise
};

struct Endpoint {
    std::string address{};
    Duration round_trip{};
};

struct OperationKind {
    std::string name{};
    perdure::Safety safety = perdure::Safety::read;
    double heavier = 1;  // its work beside the dependency's median
};

enum class Homes : std::uint8_t { first, by_instance, by_call };

struct Dependency {
    perdure::Plan plan{};
    double share = 1;  // of all calls
    std::vector<OperationKind> operations{};
    Duration median{};  // of the service's work
    double sigma = 0.5;
    std::vector<Endpoint> endpoints{};
    Homes homes = Homes::first;
    bool moves_on = true;   // a failed attempt is repeated elsewhere
    Duration mark_for{};    // three failures in a row put an endpoint last for so long; zero: never
    Duration idle_for{};    // then a connection is closed
    int uses = 1000;        // of one connection
    Duration names_last{};  // in the resolver's cache
    bool names_subjects = true;
    bool counts_units = false;
    int subjects = 100;
    double skew = 0;  // Zipf's exponent
    int partitions = 16;
    double partition_rate = 0;  // calls per second; zero: not limited
    double capacity = 0;        // calls per second of an endpoint; zero: as many as come
    Duration longest_queue{};   // who would wait longer is sent away; zero: everybody may wait
};

struct Instance {
    std::string name{};
    double weight = 1;
    double utilization = 0.2;
    Duration clock_off{};
};

struct Restart {
    int instance = 0;
    Duration at{};
    Duration takes{};
    bool renamed = false;
};

struct Surge {
    Window when{};
    double factor = 1;
};

struct Noise {
    double failing = 0;   // of attempts, for no particular reason
    double slow = 0;      // of attempts
    double refusing = 0;  // of calls: not found, conflict
};

struct Script {
    std::uint64_t seed = 0;
    Story story = Story::healthy;
    int calls = 0;
    Duration lasts{};
    double swing = 0;  // of the daily curve
    double daily_phase = 0;
    std::vector<Surge> surges{};
    std::vector<Instance> instances{};
    std::vector<Dependency> dependencies{};
    std::vector<Fault> noise_faults{};
    std::vector<Fault> faults{};  // the story's own
    std::vector<Restart> restarts{};
    Noise noise{};
    int sampling = 1;      // one healthy call in so many is written
    int target = 0;        // the dependency the story is about
    std::string remark{};  // what was drawn, for people
};

// Between these many calls; the stories themselves do not change with the size.
struct Size {
    int least = 500;
    int most = 100'000;
};

Script write_script(Story story, std::uint64_t seed, const Size& size);

// How many calls per second there are at a time, noise and surges included.
double rate_at(const Script& script, Duration at);

}  // namespace stage
