// SPDX-License-Identifier: Apache-2.0
#include "perdure/chaos/cosmos/gateway.hpp"

#include <cerrno>
#include <map>
#include <tuple>
#include <utility>

#include <sys/eventfd.h>

#include "chaos/cosmos/control.hpp"
#include "chaos/cosmos/server.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

using gateway::control_door;
using gateway::global;

Fail invalid(std::string message) {
    return fail(
        {.cause = Cause::invalid, .origin = Origin::application, .message = std::move(message)});
}

Result<void> check(const GatewayOptions& options) {
    if (options.regions.empty()) return invalid("regions: an account has at least one");
    if (options.partitions == 0) return invalid("partitions: a container has at least one");
    for (std::size_t i = 0; i < options.regions.size(); ++i) {
        const std::string& name = options.regions[i].name;
        if (name.empty() || name == "global")
            return invalid("regions: '" + name + "' is no name for a region");
        for (std::size_t other = 0; other < i; ++other)
            if (options.regions[other].name == name)
                return invalid("regions: '" + name + "' is there twice");
    }
    return {};
}

Result<std::vector<gateway::Listener>> open_doors(const GatewayOptions& options) {
    std::vector<gateway::Listener> listeners;
    const auto open = [&](std::uint16_t port, std::size_t where) -> Result<void> {
        const auto address = net::address_from("127.0.0.1:" + std::to_string(port), "port");
        if (!address) return fail(address.error());
        auto door = net::Door::open(*address);
        if (!door) return fail(door.error());
        listeners.push_back({.door = std::move(*door), .where = where});
        return {};
    };
    if (auto done = open(options.port, global); !done) return fail(done.error());
    if (auto done = open(options.control_port, control_door); !done) return fail(done.error());
    for (std::size_t i = 0; i < options.regions.size(); ++i)
        if (auto done = open(options.regions[i].port, i); !done) return fail(done.error());
    return listeners;
}

std::uint64_t& count_of(WriteCount& counts, WriteKind kind) noexcept {
    switch (kind) {
        case WriteKind::created: return counts.created;
        case WriteKind::replaced: return counts.replaced;
        case WriteKind::patched: return counts.patched;
        case WriteKind::deleted: break;
    }
    return counts.deleted;
}

std::string url(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port) + '/'; }

}  // namespace

struct CosmosGateway::Inside {
    Inside(const GatewayOptions& options, Clock& clock, std::vector<gateway::Listener> listeners,
           net::Socket waker)
        : started{clock.now()}, server{options, clock, std::move(listeners), std::move(waker)} {}

    // Runs `change` with the region's number, under the lock.
    template <class Change>
    Result<void> with(std::string_view region, const Change& change) {
        const std::lock_guard lock{server.mutex};
        const auto number = server.account.region_named(region);
        if (!number) return invalid("there is no region '" + std::string{region} + "'");
        change(*number);
        return {};
    }

    // Under the lock. No name: the first range.
    Result<gateway::Range*> range_named(std::string_view database, std::string_view container,
                                        std::string_view range) const {
        const gateway::Container* its = server.account.container(database, container);
        if (!its) return invalid("there is no container '" + std::string{container} + "'");
        gateway::Range* found = range.empty() ? its->ranges[0].get() : its->range_named(range);
        if (!found) return invalid("there is no range '" + std::string{range} + "'");
        return found;
    }

    const TimePoint started;
    gateway::Server server;
};

CosmosGateway::CosmosGateway(std::unique_ptr<Inside> inside) noexcept
    : inside_{std::move(inside)} {}
CosmosGateway::~CosmosGateway() = default;

Result<std::unique_ptr<CosmosGateway>> CosmosGateway::start(const GatewayOptions& options,
                                                            Clock& clock) {
    if (auto good = check(options); !good) return fail(good.error());
    auto listeners = open_doors(options);
    if (!listeners) return fail(listeners.error());
    net::Socket waker{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    if (!waker) return fail(net::failure_of(errno, net::Doing::opening));
    auto inside = std::make_unique<Inside>(options, clock, std::move(*listeners), std::move(waker));
    std::unique_ptr<CosmosGateway> made{new CosmosGateway{std::move(inside)}};
    PERDURE_TRY(made->inside_->server.start(
        [its = made.get()](const gateway::Asked& asked) { return gateway::control(*its, asked); }));
    return made;
}

std::string CosmosGateway::endpoint() const { return url(inside_->server.port_of(global)); }

std::string CosmosGateway::endpoint(std::string_view region) const {
    if (region == "global") return endpoint();
    const std::lock_guard lock{inside_->server.mutex};
    const auto number = inside_->server.account.region_named(region);
    return number ? url(inside_->server.port_of(*number)) : "";
}

std::string CosmosGateway::control() const { return url(inside_->server.port_of(control_door)); }

std::string CosmosGateway::connection_string() const {
    return "AccountEndpoint=" + endpoint() + ";AccountKey=" + inside_->server.account.options.key +
           ';';
}

void CosmosGateway::plan(std::vector<GatewayFault> faults) {
    const std::lock_guard lock{inside_->server.mutex};
    gateway::Account& account = inside_->server.account;
    account.fitting.assign(faults.size(), 0);
    account.struck.assign(faults.size(), 0);
    account.faults = std::move(faults);
}

std::vector<std::uint64_t> CosmosGateway::struck() const {
    const std::lock_guard lock{inside_->server.mutex};
    return inside_->server.account.struck;
}

Result<void> CosmosGateway::set(std::string_view region, RegionState state) {
    if (region == "global") {
        const std::lock_guard lock{inside_->server.mutex};
        inside_->server.account.global_state = state;
    } else if (auto done = inside_->with(region,
                                         [&](std::size_t number) {
                                             inside_->server.account.regions[number].state = state;
                                         });
               !done) {
        return done;
    }
    inside_->server.put_in_force();
    return {};
}

Result<void> CosmosGateway::list(std::string_view region, Listed listed) {
    return inside_->with(region, [&](std::size_t number) {
        inside_->server.account.change(
            [&](gateway::Topology& next) { next.listed[number] = listed; });
    });
}

Result<void> CosmosGateway::replicate(std::string_view region, Duration delay) {
    return inside_->with(region, [&](std::size_t number) {
        gateway::Account& account = inside_->server.account;
        // What was due by the old lag has come; what was not waits by the new one.
        for (const auto& [name, database] : account.databases)
            for (const auto& [id, container] : database->containers)
                account.follow(*container, inside_->server.clock.now());
        account.regions[number].lag = delay;
    });
}

Result<void> CosmosGateway::fail_over(std::string_view region, FailOver how) {
    return inside_->with(region, [&](std::size_t number) {
        inside_->server.account.fail_over(number, how, inside_->server.clock.now());
    });
}

Result<void> CosmosGateway::fail_over(const RangeFailOver& move, FailOver how) {
    const std::lock_guard lock{inside_->server.mutex};
    gateway::Account& account = inside_->server.account;
    if (account.topology.writes == WriteMode::multiple)
        return invalid("every region of this account takes writes; no range has its own");
    const auto range = inside_->range_named(move.database, move.container, move.range);
    if (!range) return fail(range.error());
    const auto region = account.region_named(move.to);
    if (!region && !move.to.empty()) return invalid("there is no region '" + move.to + "'");
    account.fail_over(**range, region, how, inside_->server.clock.now());
    return {};
}

void CosmosGateway::set_partition_failover(PartitionFailover failover) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.change(
        [&](gateway::Topology& next) { next.partition_failover = failover; });
}

void CosmosGateway::set_writes(WriteMode mode) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.change([&](gateway::Topology& next) { next.writes = mode; });
}

void CosmosGateway::set_hedging(HedgingSwitch hedging) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.change([&](gateway::Topology& next) { next.hedging = hedging; });
}

void CosmosGateway::flap(Duration time) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.flapping_until = after(inside_->server.clock.now(), time);
}

void CosmosGateway::limit(double request_units) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.limit = request_units;
}

void CosmosGateway::empty_pages(std::uint64_t pages) {
    const std::lock_guard lock{inside_->server.mutex};
    inside_->server.account.empty_pages = pages;
}

Result<void> CosmosGateway::split(const GatewaySplit& split) {
    const std::lock_guard lock{inside_->server.mutex};
    const TimePoint now = inside_->server.clock.now();
    const auto found = inside_->range_named(split.database, split.container, split.range);
    if (!found) return fail(found.error());
    gateway::Range& range = **found;
    range.splitting = true;
    range.refused_left = split.requests;
    range.refused_until = after(now, split.time);
    gateway::Account& account = inside_->server.account;
    account.follow(*account.container(split.database, split.container), now);
    return {};
}

std::vector<GatewayRecord> CosmosGateway::records() const {
    const std::lock_guard lock{inside_->server.mutex};
    const auto& records = inside_->server.account.records;
    return {records.begin(), records.end()};
}

std::vector<GatewayRecord> CosmosGateway::take_records() {
    const std::lock_guard lock{inside_->server.mutex};
    auto& records = inside_->server.account.records;
    std::vector<GatewayRecord> taken{std::make_move_iterator(records.begin()),
                                     std::make_move_iterator(records.end())};
    records.clear();
    return taken;
}

std::vector<AppliedWrite> CosmosGateway::writes() const {
    const std::lock_guard lock{inside_->server.mutex};
    const auto& writes = inside_->server.account.writes;
    return {writes.begin(), writes.end()};
}

std::vector<AppliedWrite> CosmosGateway::writes(const ItemName& item) const {
    const std::lock_guard lock{inside_->server.mutex};
    const auto& account = inside_->server.account;
    const gateway::Container* its = account.container(item.database, item.container);
    const auto key = its ? its->keys.from_header(item.partition_key) : std::nullopt;
    std::vector<AppliedWrite> found;
    for (const AppliedWrite& write : account.writes)
        if (key && write.id == item.id && write.partition_key == key->text &&
            write.container == its->link)
            found.push_back(write);
    return found;
}

std::vector<WriteCount> CosmosGateway::write_counts(std::string_view database,
                                                    std::string_view container) const {
    const std::lock_guard lock{inside_->server.mutex};
    const auto& account = inside_->server.account;
    const std::string link = "dbs/" + std::string{database} + "/colls/" + std::string{container};
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, WriteCount> counts;
    for (const AppliedWrite& write : account.writes) {
        if (!container.empty() && write.container != link) continue;
        WriteCount& its = counts[{write.container, write.partition_key, write.id}];
        ++count_of(its, write.kind);
    }
    std::vector<WriteCount> list;
    for (auto& [item, its] : counts) {
        std::tie(its.container, its.partition_key, its.id) = item;
        list.push_back(std::move(its));
    }
    return list;
}

std::optional<std::string> CosmosGateway::item(const ItemName& item,
                                               std::string_view region) const {
    const std::lock_guard lock{inside_->server.mutex};
    auto& account = inside_->server.account;
    gateway::Container* its = account.container(item.database, item.container);
    const auto key = its ? its->keys.from_header(item.partition_key) : std::nullopt;
    const auto number = account.region_named(region);
    if (!key || !number) return std::nullopt;
    account.follow(*its, inside_->server.clock.now());
    const gateway::Range* range = its->range_of(key->effective);
    const auto found = range ? range->find(*number, gateway::name_of(*key, item.id)) : nullptr;
    if (!found || found->gone || its->expired(*found, inside_->server.clock.wall()))
        return std::nullopt;
    return found->text;
}

std::size_t CosmosGateway::items(std::string_view database, std::string_view container,
                                 std::string_view region) const {
    const std::lock_guard lock{inside_->server.mutex};
    auto& account = inside_->server.account;
    gateway::Container* its = account.container(database, container);
    const auto number = account.region_named(region);
    if (!its || !number) return 0;
    account.follow(*its, inside_->server.clock.now());
    std::size_t count = 0;
    const WallTime wall = inside_->server.clock.wall();
    for (const auto& range : its->ranges)
        for (const auto& [item_number, item] : range->feed(*number))
            if (!its->expired(*item, wall)) ++count;
    return count;
}

TimePoint CosmosGateway::started() const noexcept { return inside_->started; }
void CosmosGateway::look() { inside_->server.put_in_force(); }

std::string_view to_string(WriteKind kind) noexcept {
    switch (kind) {
        case WriteKind::created: return "created";
        case WriteKind::replaced: return "replaced";
        case WriteKind::patched: return "patched";
        case WriteKind::deleted: return "deleted";
    }
    return "";
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
