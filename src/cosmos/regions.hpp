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
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/wire/account_document.hpp"
#include "perdure/cosmos/wire/classify.hpp"
#include "perdure/http/conversation.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Never changes and lives as long as the client.
struct Region {
    std::string name{};      // "East US"; "global" for the account's own address
    std::string endpoint{};  // "host:port"
    std::string host{};      // as in the Host field
    std::string url{};
    std::string place{};  // name and endpoint, for records
    http::Route* route = nullptr;
};
using RegionList = std::vector<const Region*>;

// What was true when it was asked for. Never changes.
struct Topology {
    RegionList reads{};   // the best first, the marked last
    RegionList writes{};  // the same
    bool multi_write = false;
    bool may_hedge = true;
    Consistency consistency = Consistency::session;
    const Region* write_region = nullptr;  // where a single-write account writes, by its document
    [[nodiscard]] const RegionList& of(Does does) const noexcept {
        return does == Does::read ? reads : writes;
    }
};

// lost: it cannot be reached, or says that it is no region of the account any more. no_writes: it
// answers, but takes no writes.
enum class Mark : std::uint8_t { lost, no_writes };

// Shared: any thread.
class Regions {
public:
    struct Choice {
        std::vector<std::string> preferred{};
        std::vector<std::string> excluded{};
        Writes writes = Writes::every_region;
        RegionOptions options{};
    };
    using MakeRoute = std::function<Result<http::Route*>(const std::string& url)>;
    Regions(Choice choice, MakeRoute make_route, Random& random);

    // The only region there is: the address that was given.
    void settle_for(const Region& only);
    // A new document. What it does not say is as it was.
    void learn(const AccountDocument& document);
    [[nodiscard]] bool known() const;

    // Null before anything is known. One short lock.
    [[nodiscard]] std::shared_ptr<const Topology> now(TimePoint now);

    void mark(const Region& region, Mark mark, TimePoint now);
    void note_timeout(const Region& region, TimePoint now);
    // It answered: a row of timeouts is over. One atomic read while nothing is wrong.
    void note_answer(const Region& region);
    void note_write(const Region& region);   // it has taken a write
    void found_again(const Region& region);  // a probe was answered
    // Those of the account that are marked as lost. One that has left it is nobody's concern.
    [[nodiscard]] RegionList lost(TimePoint now);
    // A region by its address, made if it is new. Null: no address.
    const Region* at(std::string_view name, const http::Url& url);

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
        int timeouts = 0;
    };
    using Lock = std::lock_guard<std::mutex>;

    const Region* find(const Lock& lock, std::string_view name, const http::Url& url);
    RegionList by_preference(const RegionList& given) const;
    void sort(const Lock& lock, Topology& topology, TimePoint now);
    [[nodiscard]] Marked marked(const Lock& lock, TimePoint now) const;
    void change(const Lock&) noexcept { topology_.reset(); }

    const Choice choice_;
    const MakeRoute make_route_;
    Random& random_;
    mutable std::mutex mutex_;
    std::deque<Region> all_;
    RegionList readable_, writable_;
    bool multi_write_ = false, may_hedge_ = true, known_ = false;
    Consistency consistency_ = Consistency::session;
    std::map<const Region*, Standing> standings_;
    std::atomic<bool> troubled_{false};
    std::shared_ptr<const Topology> topology_;  // null: to be worked out
    TimePoint valid_until_ = TimePoint::max();
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
