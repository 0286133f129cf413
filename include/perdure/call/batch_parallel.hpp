// SPDX-License-Identifier: Apache-2.0
//
// How many sends at once? As many as allowed while all goes well, fewer while the service throttles.
//
//     Parallelism sends{{.most = 8}};
//     if (sends.free()) ticket = sends.start();
//     sends.end(ticket, SendEnd::throttled);   // 4; the other seven of that round change nothing
//
// Additive growth, multiplicative shrinking: + `grow` for a whole limit's worth of sends that went
// well, × `shrink` for a throttled one. A send that went out before the latest shrinking says nothing
// about the new limit, so a round trip shrinks it once. No clock, no I/O.
#pragma once

#include <cstdint>

namespace perdure {
inline namespace v0 {

struct ParallelOptions {
    int most = 8;
    int least = 1;
    int first = 0;        // where it starts; 0: at `most`
    double shrink = 0.5;  // what a throttled send leaves of the limit
    double grow = 1;      // added for as many good sends as the limit is wide
    friend bool operator==(const ParallelOptions&, const ParallelOptions&) noexcept = default;
};

// How a send ended, seen from the limit.
enum class SendEnd : std::uint8_t {
    well,       // the service took it
    throttled,  // too much at once
    otherwise,  // says nothing about how many are too many
};

// Used by one thread at a time: whoever shares it has a lock.
class Parallelism {
public:
    explicit Parallelism(const ParallelOptions& options) noexcept
        : least_{options.least > 1 ? options.least : 1},
          most_{options.most > least_ ? options.most : least_},
          shrink_{options.shrink},
          grow_{options.grow},
          limit_{static_cast<double>(first_limit(options.first))} {}

    [[nodiscard]] int limit() const noexcept { return static_cast<int>(limit_); }
    [[nodiscard]] int in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] bool free() const noexcept { return in_flight_ < limit(); }

    // The ticket is for end().
    std::uint64_t start() noexcept {
        if (++in_flight_ > peak_) peak_ = in_flight_;
        return next_ticket_++;
    }
    void end(std::uint64_t ticket, SendEnd how) noexcept {
        --in_flight_;
        if (ticket < shrunk_before_) return;
        if (how == SendEnd::throttled) {
            limit_ *= shrink_;
            if (limit_ < least_) limit_ = least_;
            shrunk_before_ = next_ticket_;
            peak_ = in_flight_;
        } else if (how == SendEnd::well && 2 * peak_ >= limit()) {
            // A limit of which not half was used has not been tried: it does not grow.
            limit_ += grow_ / limit_;
            if (limit_ > most_) limit_ = most_;
        }
    }

private:
    [[nodiscard]] int first_limit(int first) const noexcept {
        if (first <= 0 || first > most_) return most_;
        return first < least_ ? least_ : first;
    }

    int least_;
    int most_;
    double shrink_;
    double grow_;
    double limit_;
    int in_flight_ = 0;
    int peak_ = 0;  // since the latest shrinking
    std::uint64_t next_ticket_ = 0;
    std::uint64_t shrunk_before_ = 0;  // tickets below this belong to an earlier limit
};

}  // namespace v0
}  // namespace perdure
