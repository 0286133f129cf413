// SPDX-License-Identifier: Apache-2.0
//
// A link to a database that loses COMMITs on purpose: the fault proxy before its port.
//
//     SqlLink link{server.port(), {.before = 0.05, .answered = 0.05, .half_open = 0.05, .seed = 7}};
//     connect(link.port());
//     link.cut_next(Lost::half_open);               // the next COMMIT, and only that
//     link.change({});                              // from here on everything passes
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "perdure/chaos/proxy.hpp"
#include "perdure/duration.hpp"

namespace perdure::live {

// What becomes of a COMMIT. To the client all but the last look alike: the connection is reset.
enum class Lost : std::uint8_t {
    before,     // it does not reach the server, whose session ends
    after,      // it reaches the server, which may be at it while the client already looks
    answered,   // the server did it and said so; the answer is lost
    half_open,  // it does not reach the server, whose session and locks live on
    late,  // it reaches the server, but only `late_by` after the client has lost the connection
    unanswered,  // the server did it and said so; the client waits in vain
};

// For each of them the chance that it strikes a COMMIT.
struct SqlFaults {
    double before = 0;
    double after = 0;
    double answered = 0;
    double half_open = 0;
    double late = 0;
    double unanswered = 0;
    Duration late_by = 300ms;
    Duration
        open_for{};  // half_open: then the server sees the end; zero: not before the link is gone
    std::string marker = "COMMIT";
    std::uint64_t seed = 1;
};

// Every function may be called from any thread.
class SqlLink {
public:
    explicit SqlLink(std::uint16_t server, const SqlFaults& faults = {});

    [[nodiscard]] std::uint16_t port() const noexcept { return proxy_->port(); }
    // In force when it returns, on open connections too.
    void change(const SqlFaults& faults);
    // Strikes the nth COMMIT from now on, and no other.
    void cut_next(Lost what, std::uint64_t nth = 1, const SqlFaults& rest = {});
    // How often a COMMIT was lost, over all plans.
    [[nodiscard]] std::uint64_t cuts() const {
        return proxy_->counters().of(chaos::Fault::cut_at_marker);
    }
    [[nodiscard]] chaos::Proxy& proxy() noexcept { return *proxy_; }

private:
    std::unique_ptr<chaos::Proxy> proxy_;
};

}  // namespace perdure::live
