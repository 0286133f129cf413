// SPDX-License-Identifier: Apache-2.0
//
// What went wrong, did it take effect, and why did we stop? One type for every room.
//
//     return fail({.cause = Cause::throttled, .retry_after = 200ms, .status = 429});
//
// A classifier fills the first part and leaves what it does not know at its default, which follows
// from the cause. So the cause is named where the failure is made, or changed by set_cause(), which
// changes the fields that follow from it too. A plan fills the last part when it gives up. A plain
// value; copy it freely.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "perdure/cause.hpp"
#include "perdure/duration.hpp"
#include "perdure/effect.hpp"
#include "perdure/remedy.hpp"
#include "perdure/stop.hpp"

namespace perdure {
inline namespace v0 {

enum class Origin : std::uint8_t { service, network, application };

// Conflict and its neighbours are answers: asking a second replica would say the same.
constexpr bool is_final_in_race(Cause cause) noexcept {
    return cause == Cause::conflict || cause == Cause::invalid || cause == Cause::not_found ||
           cause == Cause::too_large;
}

// A Cause that cannot be changed alone: effect, remedies, final_in_race and first_cause follow from
// it. A plain value. Where those fields stay on purpose, assign `FailureCause{cause}`.
class FailureCause {
public:
    constexpr FailureCause(Cause cause) noexcept : cause_{cause} {}
    constexpr operator Cause() const noexcept { return cause_; }

    template <class Other>
        requires std::is_same_v<Other, Cause>
    constexpr FailureCause& operator=(Other) noexcept {
        static_assert(
            !std::is_same_v<Other, Cause>,
            "effect, remedies and more of a Failure follow from its cause: name the cause "
            "where the Failure is made, or call failure.set_cause(cause)");
        return *this;
    }

private:
    Cause cause_;
};

struct Failure {
    FailureCause cause = Cause::internal;
    Effect effect = default_effect(cause);
    Origin origin = Origin::service;
    std::optional<Duration> retry_after{};  // what the service asked for; `never`: do not repeat
    RemedySet remedies = default_remedies(cause);
    std::string_view rule{};       // the plan's rule it falls under; must outlive the failure, so a
                                   // literal; empty: the rule named after the cause
    bool settles_earlier = false;  // this answer proves what earlier attempts did
    bool advanced = false;         // a success in part: leftovers, but fewer than before
    bool final_in_race = is_final_in_race(cause);  // may win a hedge although it is a failure
    std::string dependency{};
    int status = 0;
    std::string code{};  // the service's own word: "40001", "ThrottlingException"
    std::string message{};
    std::string request_id{};

    // Filled in when a plan gives up.
    Stop stop = Stop::none;
    int attempts = 0;
    Duration elapsed{};
    Cause first_cause = cause;  // what the first attempt met, often the real reason

    // The cause and all that follows from it: effect, remedies, final_in_race and first_cause.
    constexpr void set_cause(Cause changed) noexcept {
        cause = FailureCause{changed};
        effect = default_effect(changed);
        remedies = default_remedies(changed);
        final_in_race = is_final_in_race(changed);
        first_cause = changed;
    }

    friend bool operator==(const Failure&, const Failure&) = default;
};

std::string_view to_string(Origin origin) noexcept;

// One line for a log: cause, effect, code, message, why we stopped. Never a secret, because
// classifiers never put one in.
std::string to_string(const Failure& failure);

}  // namespace v0
}  // namespace perdure
