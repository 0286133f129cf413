// SPDX-License-Identifier: Apache-2.0
//
// Who keeps the books of a run? Everything that is counted is counted here.
#pragma once

#include <algorithm>

#include "actors.hpp"
#include "perdure/sim/account.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

// Owned by one world.
class Ledger {
public:
    Ledger(const Scenario& scenario, std::uint64_t seed)
        : warm_up_{scenario.warm_up.count()}, present_(scenario.services.size()) {
        account_.seed = seed;
        account_.services.resize(scenario.services.size());
        const auto length = std::min<std::int64_t>(scenario.duration.count() / second + 1, 100'000);
        account_.seconds.reserve(static_cast<std::size_t>(length) + 8);
    }

    Account& account() noexcept { return account_; }
    ServiceAccount& service(std::uint16_t index) noexcept { return account_.services[index]; }
    bool measured(const Call& call) const noexcept { return call.started >= warm_up_; }

    void begins(const Call& call) {
        ++account_.calls;
        if (call.started >= warm_up_) ++account_.offered;
        ++at(call.started).offered;
    }
    void ends_well(const Call& call, std::int64_t now) {
        ++account_.calls_ok;
        ++at(call.started).ok;
        ++at(now).answers;
        account_.last_success = Duration{now};
        if (call.started < warm_up_) return;
        ++account_.ok;
        account_.latency.record(Duration{now - call.started});
    }
    void ends_badly(const Call& call, int attempts) {
        ++account_.calls_failed;
        if (!measured(call)) return;
        ++account_.failed;
        if (attempts == 0) ++account_.refused_locally;
    }
    void sends(const Call& call, std::int64_t now) {
        if (measured(call)) ++account_.attempts;
        ++at(now).attempts;
        if (now >= tenth_end_) {
            tenth_end_ = (now / (second / 10) + 1) * (second / 10);
            tenth_count_ = 0;
        }
        ++tenth_count_;
        account_.busiest_tenth = std::max(account_.busiest_tenth, tenth_count_);
    }

    // Somebody comes (+1) or goes (−1).
    void present(std::uint16_t service, int change, std::int64_t now) noexcept {
        Presence& presence = present_[service];
        std::int64_t area = 0;
        if (__builtin_mul_overflow(presence.count, now - presence.since, &area)) area = INT64_MAX;
        add(account_.services[service].area, area);
        presence.count += change;
        presence.since = now;
    }
    void queue_length(std::uint32_t length, std::int64_t now) {
        Second& here = at(now);
        here.queue = std::max(here.queue, length);
    }
    void taken_from_queue(const Request& request, std::int64_t now) {
        const std::int64_t waited = now - request.arrived;
        ServiceAccount& service = account_.services[request.service];
        service.waited += waited;
        ++service.begun;
        if (request.service != 0) return;
        Second& here = at(now);
        here.waited += waited;
        ++here.begun;
    }
    void leaves(const Request& request, std::int64_t now) noexcept {
        add(account_.services[request.service].stayed, now - request.arrived);
        present(request.service, -1, now);
    }
    void works(const Request& request, bool wasted, std::int64_t now) {
        ServiceAccount& service = account_.services[request.service];
        const std::int64_t took = now - request.begun;
        ++service.served;
        add(service.busy, took);
        if (wasted) ++service.wasted, add(service.wasted_busy, took);
        if (request.service != 0) return;
        Second& here = at(now);
        ++here.served;
        if (wasted) ++here.wasted;
    }
    // In the middle of its work, which is lost.
    void cut_off(const Request& request, std::int64_t now) noexcept {
        ServiceAccount& service = account_.services[request.service];
        add(service.busy, now - request.begun);
        add(service.wasted_busy, now - request.begun);
    }
    void rejects(std::uint16_t service, std::int64_t now) {
        ++account_.services[service].rejected;
        if (service == 0) ++at(now).rejected;
    }

    Account close(std::int64_t now) {
        for (std::size_t s = 0; s < present_.size(); ++s) {
            present(static_cast<std::uint16_t>(s), 0, now);
            account_.services[s].present_at_end = present_[s].count;
        }
        account_.ended_at = Duration{now};
        account_.unfinished = account_.offered - account_.ok - account_.failed;
        return std::move(account_);
    }

private:
    // Centuries of waiting all together stop at the end of the numbers instead of wrapping.
    static void add(std::int64_t& sum, std::int64_t more) noexcept {
        if (__builtin_add_overflow(sum, more, &sum)) [[unlikely]]
            sum = INT64_MAX;
    }
    static constexpr std::int64_t second = 1'000'000'000;
    struct Presence {
        std::int64_t count = 0, since = 0;
    };
    // Nearly always the second of the last question.
    Second& at(std::int64_t time) {
        if (static_cast<std::uint64_t>(time - begin_) < second) [[likely]]
            return account_.seconds[here_];
        return find(time);
    }
    [[gnu::noinline]] Second& find(std::int64_t now) {
        const auto index = static_cast<std::size_t>(static_cast<std::uint64_t>(now) / second);
        if (index >= account_.seconds.size()) account_.seconds.resize(index + 1);
        here_ = index;
        begin_ = static_cast<std::int64_t>(index) * second;
        return account_.seconds[index];
    }

    Account account_{};
    std::int64_t warm_up_;
    std::int64_t begin_ = INT64_MIN / 2;  // of the second last asked for
    std::size_t here_ = 0;
    std::int64_t tenth_end_ = 0;
    std::uint32_t tenth_count_ = 0;
    std::vector<Presence> present_;
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
