// SPDX-License-Identifier: Apache-2.0
//
// How far is a load, in words for the status line?
#pragma once

#include <string>
#include <string_view>

#include "load/engine/account.hpp"
#include "load/target/target.hpp"
#include "perdure/time/clock.hpp"

namespace tool::load {

// What the line says, at one moment.
struct Moment {
    std::uint64_t done = 0;     // records, of this run
    std::uint64_t earlier = 0;  // of earlier runs
    std::uint64_t rejected = 0;
    double share = -1;  // of all, 0 to 1; less than 0: not known
    double per_second = 0;
    double seconds_left = -1;
    TargetCounts target{};
    std::string waiting{};  // why it may stand still; empty: it does not
};

// "38 % · 38,200 rows · 12k/s · 5 s left". What went wrong stands there only if something did.
std::string in_words(const Moment& moment);

// "waiting for postgres db:5432/shop, 12 s of 60 s, attempt 9: Connection refused". Without the target
// where the reason names it.
std::string waiting_words(std::string_view target, const std::optional<Waiting>& waiting,
                          perdure::Duration passed, perdure::TimePoint now);

// "verifying: 47 % of the inputs are read again (12s)". Without a share where their size is not known.
std::string verifying_words(const Tally& tally, perdure::Duration passed);

// Used by one thread.
class LoadProgress {
public:
    LoadProgress(const Tally& tally, const Target& target, perdure::Clock& clock);
    [[nodiscard]] std::string words();

private:
    Moment moment();

    const Tally& tally_;
    const Target& target_;
    perdure::Clock& clock_;
    perdure::TimePoint start_;
    perdure::TimePoint rated_;
    std::uint64_t rated_records_ = 0;
    double rate_ = 0;
    double start_share_ = -1;
    perdure::TimePoint share_since_{};
};

}  // namespace tool::load
