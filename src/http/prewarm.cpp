// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "client_inside.hpp"
#include "perdure/net/poller.hpp"
#include "transfer.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// As many at a time as can all be waited for, each with a race of addresses.
constexpr std::size_t at_once = 2;

// Transfers that end as soon as they are connected. All are kept until the last, or the next would
// be given the connection of the one before.
class Prewarming {
public:
    Prewarming(Route& route, int connections, const TransferTimes& times)
        : route_{route}, wanted_{static_cast<std::size_t>(connections)}, times_{times} {}

    Result<int> run(const Clock& clock) {
        net::Wants wants;
        for (TimePoint now = clock.now();; now = clock.now()) {
            wants.clear();
            while (made_.size() < wanted_ && made_.size() - ended_ < at_once && !failure_)
                made_.push_back(
                    std::make_unique<Transfer>(route_, nullptr, Attempt{}, times_, poller_));
            for (std::size_t i = ended_; i < made_.size(); ++i)
                if (made_[i]->turn(now, wants)) take_in(i);
            if (ended_ < made_.size()) poller_.wait(wants, now);
            else if (made_.size() == wanted_ || failure_) break;
        }
        made_.clear();  // into the pool
        if (failure_) return fail(*std::move(failure_));
        return route_.pool.counts().idle;
    }

private:
    void take_in(std::size_t i) {
        if (auto& result = made_[i]->outcome(); !result) failure_ = std::move(result.error());
        std::swap(made_[i], made_[ended_++]);
    }

    Route& route_;
    const std::size_t wanted_;
    const TransferTimes times_;
    net::Poller poller_;
    std::vector<std::unique_ptr<Transfer>> made_;  // the first `ended_` have ended
    std::size_t ended_ = 0;
    std::optional<Failure> failure_;
};

}  // namespace

Result<int> Client::prewarm(int connections, Deadline deadline, Route* at) {
    if (inside_->problem) return fail(*inside_->problem);
    const Clock& clock = inside_->options.environment.clock;
    const Plan& plan = inside_->options.plan;
    const TimePoint end = deadline.tighter(Deadline::in(plan.deadline, clock.now())).at();
    const int most = std::min(connections, inside_->options.pool.max_connections);
    if (most <= 0) return 0;
    return Prewarming{
        at ? *at : *inside_->first, most, {.started = clock.now(), .set_up_until = end, .end = end}}
        .run(clock);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
