// SPDX-License-Identifier: Apache-2.0
//
// What should break, for whom, and how often? A list of rules and a seed.
//
//     chaos::Plan plan{.rules = {
//         {.fault = chaos::Fault::reset_after, .match = {.method = "POST", .probability = 0.05}},
//         {.fault = chaos::Fault::delay, .match = {.path = "/reports/*"}, .delay = 200ms}}};
//
// Plain values. docs/reference/chaos.md says what each fault does on an HTTP and on a TCP link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

enum class Fault : std::uint8_t {
    delay,          // wait before passing on
    drip,           // pass on a few bytes at a time
    reset_before,   // read the request, do not pass it on, reset the client
    reset_after,    // pass it on, await the whole answer, reset the client
    swallow_reply,  // pass it on, await the whole answer, say nothing and stay open
    half_open,      // pass it on, then touch neither side again
    black_hole,     // do not pass it on, and touch the client never again
    refuse,         // reset a connection when it is accepted, or close the door for a time
    close_after,    // end both sides orderly after so many bytes of the reply
    inject,         // answer in the server's place, which is not asked
    cut_at_marker,  // cut the link where certain bytes go by
    rewrite,        // change a header or the body
    replace_reply,  // pass it on, await the whole answer, say something else instead
};
inline constexpr std::size_t fault_count = 13;

enum class Protocol : std::uint8_t { http, tcp };
enum class Toward : std::uint8_t { server, client };
// The marker is passed on; `answered` (TCP): and the server has said something since.
enum class When : std::uint8_t { before, after, answered };
// What becomes of a TCP link that is cut. reset: the client is reset, the server sees an orderly end.
// half_open: the client is reset, the server is not told. swallow: both stay open and hear nothing.
enum class Then : std::uint8_t { reset, half_open, swallow };
enum class Part : std::uint8_t { whole, body };

// Which requests? (Connections on a TCP link and for `refuse`; sightings for `cut_at_marker`.) What
// fits the words is counted, rule by rule; the numbers then choose among what was counted.
struct Match {
    std::string method{};  // words; empty fits everything
    std::string path{};    // "/a/*": a star is any text; without the query unless one is asked for
    std::string header{};  // "x-tenant" is there, or "x-tenant: 7" is there
    std::string body{};    // occurs in the request's body
    std::uint64_t from = 1;
    std::uint64_t to = std::numeric_limits<std::uint64_t>::max();  // both included
    std::uint64_t every_nth = 1;                                   // counted from `from`
    double probability = 1;
};

struct Rewrite {
    std::string header{};   // empty: the body
    std::string find{};     // empty: all of it
    std::string replace{};  // a header that becomes empty is left out
};

struct Rule {
    std::string name{};  // for counters and records; empty: the fault's name
    Fault fault = Fault::delay;
    Match match{};
    Duration delay{};         // delay: how long; drip: between two pieces; a cut: see below
    Duration jitter{};        // delay: up to so much more
    std::size_t bytes = 1;    // drip: in one piece; close_after: of the reply, its head included
    Part part = Part::whole;  // drip: what is slow
    int status = 503;         // inject, replace_reply
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string body{};
    std::string marker{};  // cut_at_marker
    When when = When::before;
    Then then = Then::reset;  // with `after` and `delay` the server gets the marker so much later
    Duration open_for{};  // half_open: then the server sees the end; zero: not while the proxy runs
    // Empty: server for delay and cut_at_marker, client for drip and rewrite.
    std::optional<Toward> toward{};
    Rewrite rewrite{};
    // refuse: the door stays closed for so long, `never`: until the plan changes. Zero: only this
    // connection is reset. Where every connection matches, the door closes as the plan begins.
    Duration closed_for{};
};

// Rules are asked in their order. Delays, drips and rewrites add up; of the others the first that
// strikes is the one. Whether rule r strikes the nth that fits it depends on (seed, r, n) alone, so a
// run repeats whatever the timing.
struct Plan {
    std::vector<Rule> rules{};
    Protocol protocol = Protocol::http;
    std::uint64_t seed = 1;
};

std::string_view to_string(Fault fault) noexcept;
std::optional<Fault> fault_named(std::string_view name) noexcept;  // "reset_after", "reset-after"
std::string name_of(const Rule& rule);

// What is wrong with the plan and how to mend it, a line each: "rule 2 (drip): …".
std::vector<std::string> validate(const Plan& plan);
// The same for one rule, without its number.
std::vector<std::string> validate(const Rule& rule, Protocol protocol);

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
