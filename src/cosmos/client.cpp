// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/client.hpp"

#include <utility>

#include "client_inside.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/net/reactor.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

Order::~Order() = default;
TokenSource::~TokenSource() = default;

Client::Client(ClientOptions options) : inside_{std::make_unique<Inside>(std::move(options))} {}
Client::~Client() = default;

const Failure* Client::problem() const noexcept {
    return inside_->problem ? &*inside_->problem : nullptr;
}

bool Client::twin() const noexcept { return inside_->twin; }

Result<void> Client::perform(Order& order, const CallOptions& options) {
    if (inside_->problem) return fail(*inside_->problem);
    Talk talk{*inside_, order, options};
    if (auto opened = talk.open(); !opened)
        return fail(inside_->refused(std::move(opened.error())));
    auto done = inside_->http->converse(*inside_->caller, talk, talk.operation(), options.within);
    if (!done) return done.take_failure();
    return {};
}

Result<Call<Result<http::Response>>> Client::begin(Order& order, const CallOptions& options) {
    if (inside_->problem) return fail(*inside_->problem);
    auto talk = std::make_unique<Talk>(*inside_, order, options);
    if (auto opened = talk->open(); !opened)
        return fail(inside_->refused(std::move(opened.error())));
    const Operation operation = talk->operation();
    return inside_->http->start_conversing(*inside_->caller, std::move(talk), operation,
                                           options.within);
}

Caller& Client::caller() noexcept { return *inside_->caller; }

namespace {

std::vector<std::string> names_of(const RegionList& list) {
    std::vector<std::string> names;
    for (const Region* const region : list) names.push_back(region->name);
    return names;
}

}  // namespace

std::vector<std::string> Client::read_regions() const {
    if (!inside_->regions) return {};
    const TimePoint now = inside_->options.environment.clock.now();
    const auto topology = inside_->regions->now(now);
    if (!topology) return {};
    RegionList list = topology->reads;
    sort_by_health(list, *topology, Does::read, now,
                   [](const Region& region) { return RegionHealth{.place = region.reads.get()}; });
    return names_of(list);
}

std::vector<std::string> Client::write_regions() const {
    if (!inside_->regions) return {};
    const TimePoint now = inside_->options.environment.clock.now();
    const auto topology = inside_->regions->now(now);
    if (!topology) return {};
    RegionList list = topology->writes;
    if (topology->multi_write)
        sort_by_health(list, *topology, Does::write, now, [](const Region& region) {
            return RegionHealth{.place = region.writes.get()};
        });
    return names_of(list);
}

// How a call waits for the clerk outside a conversation: a look now, then one every few milliseconds.
namespace {

constexpr Duration look_every = 2ms;

Failure not_in_time() {
    return {.cause = Cause::timed_out,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "not-ready",
            .message = "what the client needs to know of the account was not there in time",
            .stop = Stop::deadline};
}

Failure cancelled_waiting() {
    return {.cause = Cause::cancelled, .effect = Effect::none, .stop = Stop::cancelled};
}

// Of a wait for the account or a container's ranges: why it stopped, also if the client's own call for it
// did.
Failure ended_waiting(const Client::Inside& client, Failure failure) {
    const Stop stop = failure.stop;
    failure = client.refused(std::move(failure));
    if (stop != Stop::none) failure.stop = stop;
    return failure;
}

TimePoint end_of(const Client::Inside& client, Deadline deadline) {
    const TimePoint now = client.options.environment.clock.now();
    return deadline.tighter(Deadline::in(client.caller->plan().deadline, now)).at();
}

// The ranges, if they are there or will never be; nothing while they are on their way.
struct RangesWanted {
    RangesWanted(Client::Inside& whose, const ContainerName& name, Client::Ranges old)
        : client{whose}, shelved{whose.containers.at(name)}, than{std::move(old)} {}

    std::optional<Result<Client::Ranges>> look() {
        const auto known = shelved.known();
        if (known && known->ranges && known->ranges != than) return known->ranges;
        if (ticket == 0) {
            if (than) shelved.doubted = true;
            ticket = client.clerk->want(shelved);
            return std::nullopt;
        }
        if (!shelved.fetching.ended(ticket)) return std::nullopt;
        auto problem = shelved.fetching.problem();
        return fail(ended_waiting(client, problem ? *std::move(problem) : not_in_time()));
    }

    Client::Inside& client;
    Shelved& shelved;
    const Client::Ranges than;
    Fetching::Ticket ticket = 0;
};

}  // namespace

Result<Client::Ranges> Client::ranges(const ContainerName& container, const CallOptions& options,
                                      Ranges than) {
    if (inside_->problem) return fail(*inside_->problem);
    Clock& clock = inside_->options.environment.clock;
    const TimePoint end = end_of(*inside_, options.deadline);
    RangesWanted wanted{*inside_, container, std::move(than)};
    for (;;) {
        if (auto found = wanted.look()) return *std::move(found);
        if (clock.now() >= end) return fail(ended_waiting(*inside_, not_in_time()));
        if (clock.sleep_until(after(clock.now(), look_every), options.stop) == Woken::by_stop)
            return fail(ended_waiting(*inside_, cancelled_waiting()));
    }
}

Pending<Result<Client::Ranges>> Client::start_ranges(ContainerName container, CallOptions options,
                                                     Ranges than) {
    if (inside_->problem) co_return fail(*inside_->problem);
    Clock& clock = inside_->options.environment.clock;
    const TimePoint end = end_of(*inside_, options.deadline);
    RangesWanted wanted{*inside_, container, std::move(than)};
    Executor* const own = inside_->options.environment.executor;
    Executor& executor = own ? *own : net::default_reactor();
    for (;;) {
        if (auto found = wanted.look()) co_return *std::move(found);
        if (clock.now() >= end) co_return fail(ended_waiting(*inside_, not_in_time()));
        auto nap = sleep_until(executor, after(clock.now(), look_every), options.stop);
        if (co_await nap == Woken::by_stop)
            co_return fail(ended_waiting(*inside_, cancelled_waiting()));
    }
}

Result<int> Client::prewarm(int connections, Deadline deadline) {
    if (inside_->problem) return fail(*inside_->problem);
    Inside& client = *inside_;
    Clock& clock = client.options.environment.clock;
    const TimePoint end = end_of(client, deadline);
    Fetching::Ticket ticket = 0;
    for (;;) {
        if (const auto topology = client.regions->now(clock.now())) {
            return client.http->prewarm(connections, Deadline{end},
                                        topology->reads.front()->route.get());
        }
        const Fetching& account = client.clerk->account();
        if (ticket == 0) ticket = client.clerk->want_account();
        else if (account.ended(ticket))
            return fail(ended_waiting(client, account.problem().value_or(not_in_time())));
        if (clock.now() >= end) return fail(ended_waiting(client, not_in_time()));
        clock.sleep_until(after(clock.now(), look_every), {});
    }
}

std::string Client::session_of(const ContainerName& container, const PartitionKey& key) {
    Shelved& shelved = inside_->containers.at(container);
    const auto known = shelved.known();
    std::string text;
    const bool usable = known && shelved.fits_sessions(*known);
    if (const PartitionRange* const range = Shelved::range_of(usable ? known.get() : nullptr, key))
        shelved.sessions.append_for(text, *range);
    else shelved.sessions.append_all(text);
    return text;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
