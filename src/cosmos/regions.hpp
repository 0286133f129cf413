// SPDX-License-Identifier: Apache-2.0
//
// Which region does a request go to? The account says which there are, the user which are preferred, and
// what happened lately which are lost. A mark puts a region last for a while and survives every new
// document, because the service goes on naming regions that are gone for minutes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/call/function_ref.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/wire/account_document.hpp"
#include "perdure/cosmos/wire/classify.hpp"
#include "perdure/cosmos/wire/location_rule.hpp"
#include "perdure/http/conversation.hpp"
#include "perdure/http/service_clock.hpp"
#include "perdure/policy/place.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Lives as long as any topology of an epoch in which it was known. Its names never change; the rest may be
// used by any thread.
struct Region {
    std::string name{};      // "East US"; "global" for the account's own address
    std::string endpoint{};  // "host:port"
    std::string host{};      // as in the Host field
    std::string url{};
    std::string place{};  // name and endpoint, for records
    std::shared_ptr<http::Route> route{};
    http::Dates dates = http::Dates::untrusted;  // of its answers
    // Its budget and health, apart for reads and writes: one may fail while the other works.
    std::unique_ptr<Place> reads{};
    std::unique_ptr<Place> writes{};
    mutable std::atomic<int> lost_races{0};       // by reads in a row, against their copies
    bool given = false;                           // by the user, so it is never forgotten
    std::atomic<bool> forgotten{false};           // nothing new is noted about it
    std::vector<std::unique_ptr<Place>> parts{};  // of ranges, once it is forgotten
    [[nodiscard]] Place& health(Does does) const noexcept {
        return does == Does::read ? *reads : *writes;
    }
};
using RegionList = std::vector<const Region*>;

// As long as anything holds an epoch, no region that was known in it is freed: calls have plain pointers to
// regions, and holding one thing for the whole call costs less than counting each.
class Epoch {
public:
    using Over = std::shared_ptr<const std::atomic<bool>>;
    Epoch() = default;
    Epoch(const Epoch&) = delete;
    Epoch& operator=(const Epoch&) = delete;
    // With release: what was done to regions by who held it comes before they are freed.
    ~Epoch() { over_->store(true, std::memory_order_release); }
    [[nodiscard]] Over over() const noexcept { return over_; }

private:
    std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
};

// What was true when it was asked for. Never changes.
struct Topology {
    RegionList reads{};          // the best first, then the slow, the lost last
    RegionList writes{};         // the best first, then those that refuse writes, the lost last
    std::size_t lost_reads = 0;  // so many at the end are lost
    std::size_t lost_writes = 0;
    bool multi_write = false;
    bool may_hedge = true;
    bool by_partition = false;  // a partition range may have a write region of its own
    Consistency consistency = Consistency::session;
    const Region* write_region = nullptr;  // where a single-write account writes, by its document
    std::shared_ptr<const Epoch> epoch{};
    [[nodiscard]] const RegionList& of(Does does) const noexcept {
        return does == Does::read ? reads : writes;
    }
    [[nodiscard]] std::size_t lost(Does does) const noexcept {
        return does == Does::read ? lost_reads : lost_writes;
    }
};

// lost: it cannot be reached, or says that it is no region of the account any more. no_writes: it
// answers, but takes no writes. slow: copies of reads that another region answered kept being faster.
enum class Mark : std::uint8_t { lost, no_writes, slow };

// What is known beyond the order of a topology.
struct RegionHealth {
    const Place* place = nullptr;  // null: nothing
    TimePoint refused_until = TimePoint::min();
};
// Those that do well, as they stand in the list; then those whose place is marked, then those that
// refuse, then those that the topology knows as lost.
// How many do well.
std::size_t sort_by_health(RegionList& list, const Topology& topology, Does does, TimePoint now,
                           FunctionRef<RegionHealth(const Region&)> health_of);

// Shared: any thread.
class Regions {
public:
    struct Choice {
        std::vector<std::string> preferred{};
        std::vector<std::string> excluded{};
        Writes writes = Writes::every_region;
        RegionOptions options{};
        http::Url given{};  // the account's own address; it decides which others are used
    };
    using MakeRoute = std::function<Result<std::shared_ptr<http::Route>>(const std::string& url)>;
    // Takes back every pointer to a region that is kept elsewhere.
    using Forget = std::function<void(Region& region)>;
    // `dependency` outlives it; null: places without a budget.
    Regions(Choice choice, MakeRoute make_route, Random& random, const Budget* dependency = nullptr,
            Forget forget = {});

    // The only region there is: the address that was given.
    void settle_for(const Region& only);
    // A location of a document that is not used, and why.
    struct Unused {
        Location location{};
        LocationCheck why = LocationCheck::allowed;
    };
    // A new document. What it does not say is as it was. If no location of a kind may be used, the
    // account's own address stands in. Of the regions that documents no longer name the last 32 are
    // remembered, with their marks.
    std::vector<Unused> learn(const AccountDocument& document);
    [[nodiscard]] bool known() const;
    // Whether the account is known to have one region only. One atomic read.
    [[nodiscard]] bool single() const noexcept { return single_.load(std::memory_order_relaxed); }

    // Null before anything is known. One short lock.
    [[nodiscard]] std::shared_ptr<const Topology> now(TimePoint now);

    void mark(const Region& region, Mark mark, TimePoint now);
    // An attempt that has waited for an answer since `begun`. A row of them marks the region, as soon as
    // they have waited for `fair` together and for as long on the clock: callers in a hurry say nothing
    // about it.
    void note_timeout(const Region& region, TimePoint begun, Duration fair, TimePoint now);
    // It answered: a row of timeouts is over. Needed only while something is wrong with a region.
    void note_answer(const Region& region, TimePoint now);
    [[nodiscard]] bool troubled() const noexcept {
        return troubled_.load(std::memory_order_relaxed);
    }
    void note_write(const Region& region);  // it has taken a write
    // Another region answered the copy of a read before `asked`, where the read went.
    void note_lost_race(const Region& asked, TimePoint now);
    void found_again(const Region& region);  // a probe was answered
    // Those of the account that are marked as lost. One that has left it is nobody's concern.
    [[nodiscard]] RegionList lost(TimePoint now);
    // A region by an address that the user gave, made if it is new and never forgotten. Null: no address,
    // or one that may not be used.
    const Region* at(std::string_view name, const http::Url& url);
    // With those that are forgotten but still in use.
    [[nodiscard]] std::size_t count() const;

private:
    struct Marked {
        TimePoint since = TimePoint::min();
        TimePoint until = TimePoint::min();
        [[nodiscard]] bool ever() const noexcept { return since != TimePoint::min(); }
        [[nodiscard]] bool holds(TimePoint now) const noexcept { return now < until; }
    };
    struct Standing {
        Marked lost{};
        Marked no_writes{};
        Marked slow{};
        int timeouts = 0;
        Duration waited{};  // by them
        TimePoint silent_since = TimePoint::max();
        void answered() noexcept { timeouts = 0, waited = {}, silent_since = TimePoint::max(); }
    };
    using Lock = std::lock_guard<std::mutex>;
    // Regions that were forgotten at the end of an epoch: free once it and all earlier ones are over.
    struct Forgotten {
        Epoch::Over over{};
        std::list<Region> regions{};
    };

    [[nodiscard]] LocationCheck check(const http::Url& url) const;
    Region* find(const Lock& lock, std::string_view name, const http::Url& url);
    // Those that are free now.
    [[nodiscard]] std::list<Region> forget_departed(const Lock& lock);
    [[nodiscard]] bool is_current(const Region& region) const noexcept;
    void forget(const Lock& lock, Region& region);
    [[nodiscard]] std::list<Region> take_free(const Lock& lock);
    RegionList regions_of(const Lock& lock, const std::vector<Location>& locations,
                          std::vector<Unused>& unused);
    RegionList by_preference(const RegionList& given) const;
    [[nodiscard]] Marked& mark_of(Standing& standing, Mark mark) const noexcept;
    void sort(const Lock& lock, Topology& topology, TimePoint now);
    [[nodiscard]] Marked marked(const Lock& lock, Mark mark, TimePoint now) const;
    void change(const Lock&) noexcept { topology_.reset(); }

    const Choice choice_;
    const MakeRoute make_route_;
    Random& random_;
    const Budget* const dependency_;
    const Forget forget_;
    mutable std::mutex mutex_;
    std::list<Region> all_;
    std::deque<Region*> departed_;  // of these, what documents no longer name; the latest last
    std::deque<Forgotten> forgotten_;
    std::shared_ptr<const Epoch> epoch_ = std::make_shared<const Epoch>();
    RegionList readable_, writable_;
    bool multi_write_ = false, may_hedge_ = true, by_partition_ = false, known_ = false;
    Consistency consistency_ = Consistency::session;
    std::map<const Region*, Standing> standings_;
    std::atomic<bool> troubled_{false};
    std::atomic<bool> single_{false};
    std::shared_ptr<const Topology> topology_;  // null: to be worked out
    TimePoint valid_until_ = TimePoint::max();
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
