// SPDX-License-Identifier: Apache-2.0
//
// What did the proxy see and do? Counters, and a record of every connection and request.
//
//     const auto counters = proxy->counters();
//     EXPECT_LE(unknown_outcomes, counters.faults_after_forwarding);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perdure/chaos/plan.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// A request, or a connection if `request` is 0. A plain value. What did not happen has no time.
struct Record {
    std::uint64_t connection = 0;  // from 1 on, in the order of acceptance
    std::uint64_t request = 0;     // from 1 on, over all connections, in the order they were read
    std::string method{};
    std::string path{};  // without the query, which may hold a token
    std::string id{};    // the value of ProxyOptions::id_header
    int status = 0;      // of the answer; 0: none was seen
    TimePoint accepted{};
    std::optional<TimePoint> read{};       // whole request
    std::optional<TimePoint> forwarded{};  // … handed to the server's socket
    std::optional<TimePoint> answered{};   // first byte of the server's reply
    TimePoint ended{};
    std::uint64_t bytes_to_server = 0;
    std::uint64_t bytes_to_client = 0;
    std::optional<Fault> fault{};  // the one that ended it, else the first that shaped it
    std::string rule{};            // its name
};

struct RuleCount {
    std::string name{};
    Fault fault = Fault::delay;
    std::uint64_t fitting = 0;  // counted
    std::uint64_t struck = 0;   // chosen among them
};

// A plain value. A request is forwarded when the server has been handed all of it; "before" and
// "after" say whether that had happened when a fault struck.
struct Counters {
    std::uint64_t connections = 0;
    std::uint64_t open_connections = 0;
    std::uint64_t requests = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t answered = 0;         // the whole reply was read from the server
    std::uint64_t malformed = 0;        // requests or replies that are no HTTP
    std::uint64_t upstream_failed = 0;  // could not be connected to, or broke the connection
    std::uint64_t records_lost = 0;     // the oldest, for want of room
    std::array<std::uint64_t, fault_count> faults{};
    std::uint64_t faults_before_forwarding = 0;
    std::uint64_t faults_after_forwarding = 0;
    std::vector<RuleCount> rules{};  // of the plan in force

    [[nodiscard]] std::uint64_t of(Fault fault) const noexcept {
        return faults[static_cast<std::size_t>(fault)];
    }
};

// One line each, without a line end. Times are seconds since `since`.
std::string to_json(const Counters& counters);
std::string to_json(const Record& record, TimePoint since);

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
