// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/account.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace sim {

namespace {

bool well(const Second& second, double share) {
    return static_cast<double>(second.ok) >= share * static_cast<double>(second.offered);
}

}  // namespace

std::optional<Duration> recovery(const Account& account, const RecoveryQuestion& question) {
    const auto second_of = [](Duration time) {
        return static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(time).count());
    };
    const std::size_t first = second_of(question.after);
    const std::size_t end = question.until == never
                                ? account.seconds.size()
                                : std::min(account.seconds.size(), second_of(question.until));
    int in_a_row = 0;
    for (std::size_t i = first; i < end; ++i) {
        if (account.seconds[i].offered == 0) continue;  // says nothing: a pause, or the drain
        in_a_row = well(account.seconds[i], question.share) ? in_a_row + 1 : 0;
        if (in_a_row == question.seconds)
            return std::chrono::seconds{static_cast<std::int64_t>(i) + 1 - question.seconds} -
                   question.after;
    }
    return std::nullopt;
}

std::vector<std::string> broken_laws(const Account& account) {
    std::vector<std::string> broken;
    const auto law = [&](bool holds, std::string text) {
        if (!holds) broken.push_back(std::move(text));
    };
    std::uint64_t offered = 0, ok = 0, attempts = 0, reached = 0;
    for (const Second& second : account.seconds) {
        law(second.ok <= second.offered, "more calls succeeded in a second than began");
        offered += second.offered;
        ok += second.ok;
        attempts += second.attempts;
    }
    law(offered == account.calls, "calls by second do not add up to all calls");
    law(ok == account.calls_ok, "successes by second do not add up");
    law(account.calls_ok + account.calls_failed <= account.calls, "more calls ended than began");
    law(attempts <= account.sent, "clients sent more than everybody");
    for (const ServiceAccount& service : account.services) {
        reached += service.reached;
        const auto present = static_cast<std::uint64_t>(service.present_at_end);
        law(service.served + service.rejected + service.dropped + service.cancelled +
                    service.failed_at_once + service.down + present ==
                service.reached,
            "a service's requests did not all leave as one thing or another");
        law(service.wasted <= service.served, "more work was wasted than done");
        // Exact: both are sums of the same nanoseconds, once everybody has left.
        law(present > 0 || service.area == service.stayed || service.area == INT64_MAX,
            "Little's law");
    }
    law(reached + account.lost + account.travelling_at_end == account.sent,
        "attempts were neither lost nor did they reach a service");
    return broken;
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure
