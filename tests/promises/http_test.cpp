// SPDX-License-Identifier: Apache-2.0
//
// HTTP servers break under callers that have configured nothing but their addresses.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "live/support/sql_server.hpp"
#include "perdure/chaos/proxy.hpp"
#include "promises/support/drill_server.hpp"
#include "promises/support/http_ways.hpp"

namespace perdure::promises {
namespace {

std::string url_at(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

// The one port of a server that goes away and comes back: connections are reset, then refused.
class PublicPort {
public:
    explicit PublicPort(std::uint16_t server) : server_{server} { open(); }
    [[nodiscard]] std::uint16_t number() const noexcept { return port_; }
    void open() {
        auto proxy = chaos::Proxy::start({.protocol = chaos::Protocol::tcp},
                                         {.listen = "127.0.0.1:" + std::to_string(port_),
                                          .to = "127.0.0.1:" + std::to_string(server_)});
        if (!proxy) live::give_up(to_string(proxy.error()));
        proxy_ = *std::move(proxy);
    }
    void close() { proxy_.reset(); }

private:
    const std::uint16_t server_;
    const std::uint16_t port_ = live::quiet_port();
    std::unique_ptr<chaos::Proxy> proxy_;
};

class PromisesHttp : public ::testing::Test {
protected:
    // The first of two addresses falls sick and stays so; the other one is there all the time.
    void first_of_two(const Drill& drill, Behaviour behaviour) {
        DrillPlace first{memory, Effective::with_the_answer};
        const DrillPlace second{memory, Effective::with_the_answer};
        HttpWays http{{url_at(first.port()), url_at(second.port())}, drill.pool};
        expect_promises(
            run_drill(drill, http.ways(), counts(), [&] { first.fall_sick(behaviour); }, [] {}));
    }
    void away(const Drill& drill, Duration time) {
        const DrillPlace server{memory, Effective::at_once};
        PublicPort entry{server.port()};
        HttpWays http{{url_at(entry.number())}, drill.pool};
        expect_promises(run_drill(
            drill, http.ways(), counts(), [&] { entry.close(); },
            [&] {
                stay_broken(time);
                entry.open();
            }));
    }
    ReadCounts counts() {
        return [this](const std::string& way) { return memory.counts_of(way); };
    }

    DrillMemory memory;
};
using PromisesHttpFull = LongForm<PromisesHttp>;

Drill drill_of(std::string name, int callers = 32, int pool = default_http_pool) {
    return {.name = std::move(name), .callers = callers, .pool = pool};
}
// Later calls meet the sick place as well, and the other one is there for them.
Drill drill_of_two(std::string name, int callers = 32) {
    return {.name = std::move(name),
            .callers = callers,
            .pool = default_http_pool,
            .later = Later::promised,
            .after = 4};
}

TEST_F(PromisesHttp, with_two_addresses_of_which_one_says_503_loses_none) {
    first_of_two(drill_of_two("HTTP, the first of two addresses says 503, 32 callers"),
                 Behaviour::says_503);
}

TEST_F(PromisesHttpFull, with_two_addresses_of_which_one_resets_loses_none) {
    first_of_two(drill_of_two("HTTP, the first of two addresses resets, 32 callers"),
                 Behaviour::resets);
}

TEST_F(PromisesHttpFull, with_two_addresses_of_which_one_hangs_loses_none) {
    first_of_two(drill_of_two("HTTP, the first of two addresses hangs, 32 callers"),
                 Behaviour::hangs);
}

TEST_F(PromisesHttpFull, with_two_addresses_of_which_one_says_503_loses_none_of_200_callers) {
    first_of_two(drill_of_two("HTTP, the first of two addresses says 503, 200 callers", 200),
                 Behaviour::says_503);
}

TEST_F(PromisesHttpFull, away_for_half_a_second_under_16_callers_loses_none) {
    away(drill_of("HTTP, the server away for 0.5 s, 16 callers", 16), 500ms);
}

TEST_F(PromisesHttpFull, away_for_half_a_second_under_32_callers_loses_none) {
    away(drill_of("HTTP, the server away for 0.5 s, 32 callers"), 500ms);
}

TEST_F(PromisesHttpFull, away_for_half_a_second_under_200_callers_loses_none) {
    away(drill_of("HTTP, the server away for 0.5 s, 200 callers", 200), 500ms);
}

TEST_F(PromisesHttpFull, away_for_half_a_second_under_90_requests_in_flight_loses_none) {
    away(drill_of("HTTP, the server away for 0.5 s, 90 requests in flight", 90, 90), 500ms);
}

// A little less, so that the repair is done within the five seconds.
TEST_F(PromisesHttpFull, away_for_5_s_under_32_callers_loses_none) {
    away(drill_of("HTTP, the server away for 5 s, 32 callers"), 4900ms);
}

}  // namespace
}  // namespace perdure::promises
