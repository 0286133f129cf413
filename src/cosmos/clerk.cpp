// SPDX-License-Identifier: Apache-2.0
#include "clerk.hpp"

#include <algorithm>
#include <utility>

#include "client_inside.hpp"
#include "metadata_requests.hpp"
#include "perdure/time/jitter.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"
#include "talk.hpp"
#include "wire/printable.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// A feed of changes ends with "nothing new"; a server that never says so is not asked for ever.
constexpr int most_range_pages = 1000;

// Also who insists on a new document waits so long since the last: a thousand calls a second may.
constexpr Duration least_apart = 100ms;

// A service can name new hosts without end.
constexpr std::size_t most_told = 64;
constexpr std::size_t longest_told = 253;

Failure incomplete_ranges() {
    return {.cause = Cause::stale_route,
            .effect = Effect::none,
            .code = "incomplete-ranges",
            .message = "the partition ranges of the container leave a hole"};
}

Failure no_usable_region() {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .code = "no-region",
            .message = "the account names no region that can be connected to"};
}

}  // namespace

Clerk::Clerk(Client::Inside& client)
    : client_{client}, refresh_in_{drawn(client.options.regions.refresh_every)} {}

Clerk::~Clerk() { stop(); }

void Clerk::stop() {
    thread_.request_stop();
    {
        const std::lock_guard held{mutex_};
        wake_.request_stop();
    }
    if (thread_.joinable()) thread_.join();
    prober_.request_stop();  // made by the other thread
    if (prober_.joinable()) prober_.join();
}

Fetching::Ticket Clerk::want_account() {
    const Fetching::Ticket ticket = account_.ask();
    rouse();
    return ticket;
}

Fetching::Ticket Clerk::join_account() {
    const Fetching::Ticket ticket = account_.join();
    rouse();
    return ticket;
}

void Clerk::suggest_account(TimePoint now) {
    const TimePoint last = account_.last_begun();
    if (last != TimePoint::min() && now < after(last, client_.options.regions.refresh_apart))
        return;
    want_account();
}

Fetching::Ticket Clerk::want(Shelved& container) {
    const Fetching::Ticket ticket = container.fetching.ask();
    {
        const std::lock_guard held{mutex_};
        if (std::ranges::find(wanted_, &container) == wanted_.end()) wanted_.push_back(&container);
    }
    rouse();
    return ticket;
}

void Clerk::suggest(Shelved& container, TimePoint now) {
    const TimePoint last = container.fetching.last_begun();
    if (last != TimePoint::min() && now < after(last, client_.options.regions.refresh_apart))
        return;
    want(container);
}

void Clerk::rouse() {
    if (auto running = run(); !running)  // the calls that wait get this; the next one tries again
        if (account_.begin(client_.options.environment.clock.now()))
            account_.end(std::move(running.error()));
    const std::lock_guard held{mutex_};
    wake_.request_stop();
}

Result<void> Clerk::run() {
    if (running_.load(std::memory_order_acquire)) return {};
    const std::lock_guard held{starting_};
    if (running_.load(std::memory_order_relaxed)) return {};
    PERDURE_TRY_VALUE(thread_, start_thread([this](const std::stop_token& stop) { work(stop); }));
    running_.store(true, std::memory_order_release);
    return {};
}

void Clerk::work(const std::stop_token& stop) {
    Clock& clock = client_.options.environment.clock;
    while (!stop.stop_requested()) {
        std::stop_token woken;
        {
            const std::lock_guard held{mutex_};  // before looking, or a wish could be missed
            wake_ = std::stop_source{};
            woken = wake_.get_token();
        }
        if (stop.stop_requested()) return;
        if (work_once(stop)) continue;
        clock.sleep_until(next_errand(clock.now()), woken);
    }
}

Shelved* Clerk::next_container() {
    const std::lock_guard held{mutex_};
    if (wanted_.empty()) return nullptr;
    Shelved* const first = wanted_.front();
    wanted_.erase(wanted_.begin());
    return first;
}

bool Clerk::work_once(const std::stop_token& stop) {
    const TimePoint now = client_.options.environment.clock.now();
    if (client_.options.discovery == Discovery::whole_account) {
        if (now >= next_refresh()) account_.ask();
        if (now >= soonest_account() && account_.begin(now)) {
            read_account(stop);
            return true;
        }
        if (!prober_.joinable() && !client_.regions->lost(now).empty()) begin_probing();
    }
    if (Shelved* const container = next_container()) {
        if (!client_.regions->known()) {  // or nobody knows where to ask
            account_.ask();
            account_.begin(now);
            read_account(stop);
        }
        if (container->fetching.begin(now)) read_container(*container, stop);
        return true;
    }
    return false;
}

void Clerk::begin_probing() {
    auto started = start_thread([this](const std::stop_token& stop) { watch_lost(stop); });
    if (started) prober_ = *std::move(started);  // else the marks end by themselves
}

TimePoint Clerk::soonest_account() const {
    const TimePoint last = account_.last_begun();
    if (last == TimePoint::min()) return last;
    return after(last, std::min(least_apart, client_.options.regions.refresh_apart));
}

TimePoint Clerk::next_errand(TimePoint now) {
    if (client_.options.discovery == Discovery::whole_account && account_.wanted())
        return soonest_account();
    // A region may be lost while we sleep; nobody wakes us for that.
    return std::min(next_refresh(), after(now, drawn(client_.options.regions.probe_every)));
}

TimePoint Clerk::next_refresh() const {
    const TimePoint last = account_.last_begun();
    return last == TimePoint::min() ? TimePoint::max() : after(last, refresh_in_);
}

// Clients that start together must not ask the account together for ever after. Longer and never shorter,
// so that it is not asked more often than the options say.
Duration Clerk::drawn(Duration period) const {
    return lengthened(period, client_.options.environment.random.next());
}

void Clerk::read_account(const std::stop_token& stop) {
    refresh_in_ = drawn(client_.options.regions.refresh_every);
    const ReadAccount request;
    auto document = client_.fetch(request, Errand{.purpose = Purpose::account}, stop);
    if (!document) return account_.end(std::move(document.error()));
    tell_unused(client_.regions->learn(*document));
    client_.http->forget_unused_routes();
    if (!client_.regions->known()) return account_.end(no_usable_region());
    account_.end(std::nullopt);
}

// Each host once.
void Clerk::tell_unused(const std::vector<Regions::Unused>& unused) {
    for (const auto& [location, why] : unused) {
        if (told_.size() >= most_told) return;
        if (!told_.insert(location.endpoint.host).second) continue;
        client_.notice("the account document names " + printable(location.name, longest_told) +
                       " at " + location.endpoint.scheme + "://" +
                       printable(http::host_of(location.endpoint), longest_told) +
                       ", which is not used: " + std::string{describe(why)});
    }
}

void Clerk::read_container(Shelved& container, const std::stop_token& stop) {
    auto known = look_up(container, stop);
    if (!known) return container.fetching.end(std::move(known.error()));
    container.sessions.forget_but((*known)->properties.rid);
    container.keep(*std::move(known));
    container.fetching.end(std::nullopt);
}

Result<std::shared_ptr<const Known>> Clerk::look_up(Shelved& container,
                                                    const std::stop_token& stop) {
    const LookUpContainer request{container.name()};
    auto known = std::make_shared<Known>();
    PERDURE_TRY_VALUE(known->properties,
                      client_.fetch(request, Errand{.purpose = Purpose::container}, stop));
    auto before = container.known();
    if (before && before->properties.rid != known->properties.rid) before.reset();
    known->news = container.sessions.news();
    const bool doubted = container.doubted.exchange(false);
    PERDURE_TRY(read_ranges(*known, before.get(), container.name(), stop));
    // The etag may be another region's, which has nothing new to say to it.
    if (doubted && before && known->etag == before->etag)
        PERDURE_TRY(read_ranges(*known, nullptr, container.name(), stop));
    return std::shared_ptr<const Known>{std::move(known)};
}

// The changes since last time; if they do not fit, everything anew.
Result<void> Clerk::read_ranges(Known& known, const Known* before, const ContainerName& name,
                                const std::stop_token& stop) {
    std::vector<PartitionRange> found;
    std::string etag = before ? before->etag : std::string{};
    for (int page = 0; page < most_range_pages; ++page) {
        const ReadRanges request{name, etag};
        PERDURE_TRY_VALUE(RangesPage got,
                          client_.fetch(request, Errand{.purpose = Purpose::container}, stop));
        std::ranges::move(got.ranges, std::back_inserter(found));
        const bool last = !got.news || got.etag.empty() || got.etag == etag;
        if (!got.etag.empty()) etag = std::move(got.etag);
        if (last) break;
    }
    auto map = before ? before->ranges->with(std::move(found)) : RoutingMap::from(std::move(found));
    if (!map && before) return read_ranges(known, nullptr, name, stop);
    if (!map) return fail(incomplete_ranges());
    known.ranges = std::make_shared<const RoutingMap>(*std::move(map));
    known.etag = std::move(etag);
    return {};
}

// Apart from the rest, because a region that is lost may keep silent for as long as it is waited for.
void Clerk::watch_lost(const std::stop_token& stop) {
    Clock& clock = client_.options.environment.clock;
    while (!stop.stop_requested()) {
        if (!client_.regions->lost(clock.now()).empty()) {
            want_account();  // it may have moved away from what is lost
            probe(stop);
        }
        clock.sleep_until(after(clock.now(), drawn(client_.options.regions.probe_every)), stop);
    }
}

// A refusal is an answer too, unless it says that the account is not there, or that the region is ill.
bool answers(const Result<AccountDocument>& probed) {
    if (probed) return true;
    const Failure& failure = probed.error();
    return failure.status != 0 && failure.status < 500 && failure.code != "403/1008";
}

// A region that answers is there. One that does not is marked anew, so that no call finds out for us.
void Clerk::probe(const std::stop_token& stop) {
    const Clock& clock = client_.options.environment.clock;
    const auto held = client_.regions->now(clock.now());  // the regions of the list are not freed
    for (const Region* const region : client_.regions->lost(clock.now())) {
        const ReadAccount request;
        const auto answer =
            client_.fetch(request, Errand{.purpose = Purpose::probe, .only = region}, stop);
        if (stop.stop_requested()) return;
        if (answers(answer)) client_.regions->found_again(*region);
        else client_.regions->mark(*region, Mark::lost, clock.now());
    }
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
