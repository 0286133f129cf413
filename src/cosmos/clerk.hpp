// SPDX-License-Identifier: Apache-2.0
//
// Who reads the account, its containers and their ranges, and asks lost regions whether they are back?
// One thread for each client, asleep nearly always, and one more as soon as a region is lost. Calls never
// fetch such things themselves: they take a ticket and are held until the clerk is done.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "container_shelf.hpp"
#include "fetching.hpp"
#include "perdure/cosmos/client.hpp"
#include "regions.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Shared: any thread.
class Clerk {
public:
    // The client outlives it.
    explicit Clerk(Client::Inside& client);
    ~Clerk();
    // Ends its threads, which look at their client until then. Once, by the owner.
    void stop();
    Clerk(const Clerk&) = delete;
    Clerk& operator=(const Clerk&) = delete;

    // A fresh document of the account.
    Fetching::Ticket want_account();
    // Any document, for who has none.
    Fetching::Ticket join_account();
    // The same if the last one is not of this very moment.
    void suggest_account(TimePoint now);
    [[nodiscard]] const Fetching& account() const noexcept { return account_; }
    Fetching::Ticket want(Shelved& container);
    // The same if it was not looked up a moment ago: many calls may notice at once that it is old.
    void suggest(Shelved& container, TimePoint now);

private:
    void rouse();
    [[nodiscard]] Result<void> run();
    void work(const std::stop_token& stop);
    bool work_once(const std::stop_token& stop);  // false: nothing was to be done
    void read_account(const std::stop_token& stop);
    void tell_unused(const std::vector<Regions::Unused>& unused);
    void read_container(Shelved& container, const std::stop_token& stop);
    Result<std::shared_ptr<const Known>> look_up(Shelved& container, const std::stop_token& stop);
    Result<void> read_ranges(Known& known, const Known* before, const ContainerName& name,
                             const std::stop_token& stop);
    void begin_probing();
    void watch_lost(const std::stop_token& stop);
    void probe(const std::stop_token& stop);
    [[nodiscard]] TimePoint soonest_account() const;
    [[nodiscard]] TimePoint next_errand(TimePoint now);
    [[nodiscard]] TimePoint next_refresh() const;
    [[nodiscard]] Duration drawn(Duration period) const;
    Shelved* next_container();

    Client::Inside& client_;
    Fetching account_;
    Duration refresh_in_;         // after the last document; only used by thread_
    std::set<std::string> told_;  // hosts that are not used; the same
    std::mutex mutex_;
    std::vector<Shelved*> wanted_;
    std::stop_source wake_;
    std::mutex starting_;
    std::atomic<bool> running_{false};
    std::jthread prober_;  // from the first region that is lost
    std::jthread thread_;  // last: it uses the rest
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
