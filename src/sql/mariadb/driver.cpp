// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <vector>

#include "perdure/net/resolver.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

constexpr std::string_view nobody_there = "2002";

// Going elsewhere helps against a server that is down, silent or read-only, not against a wrong
// password.
bool goes_on(const Failure& failure, const Bounds& bounds, TimePoint now) noexcept {
    if (bounds.stop.stop_requested() || bounds.deadline.passed(now)) return false;
    return is_repeatable(failure.cause) && failure.retry_after != never;
}

// A fair share of what is left for each that may still be tried, all of it for the last.
Bounds share(const Bounds& bounds, std::size_t still_to_try, TimePoint now) noexcept {
    const Duration left = bounds.deadline.left(now);
    if (still_to_try <= 1) return bounds;
    const Duration part =
        left == never ? Duration{5s} : left / static_cast<Duration::rep>(still_to_try);
    return {.deadline = Deadline::in(part, now), .stop = bounds.stop};
}

Failure no_primary() {
    const ErrorRow& row = row_of(Product::mariadb, "1290");
    return failure_of(row, During::connecting, "no host of those given takes writes", "1290");
}

using Opened = Result<std::unique_ptr<MariadbSession>>;

}  // namespace

class MariadbDriver final : public Driver {
public:
    MariadbDriver(Place place, MariadbOptions options)
        : place_{std::move(place)}, options_{std::move(options)}, name_{name_of(place_)} {}

    [[nodiscard]] const Traits& traits() const noexcept override { return traits_; }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                           Clock& clock) override;

private:
    [[nodiscard]] Opened open(const Target& target, const Bounds& bounds, Clock& clock) const;
    [[nodiscard]] Opened open_host(const Host& host, const Bounds& bounds, Clock& clock) const;

    const Place place_;
    const MariadbOptions options_;
    const std::string name_;
    const Traits traits_{
        .product = Product::mariadb, .resolve_within = 3s, .notes_transactions = false};
    std::atomic<std::size_t> last_good_ = 0;  // which host took us last
};

Opened MariadbDriver::open(const Target& target, const Bounds& bounds, Clock& clock) const {
    auto session = std::make_unique<MariadbSession>(options_, clock);
    PERDURE_TRY(session->open(place_, target, bounds));
    return session;
}

Opened MariadbDriver::open_host(const Host& host, const Bounds& bounds, Clock& clock) const {
    PERDURE_TRY_VALUE(
        const net::Addresses addresses,
        net::default_resolver().look_up_by(host.name, host.port, bounds.deadline, bounds.stop));
    Opened first = fail(misuse("no-address", "the host has no address"));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const Target target{
            .address = addresses[i], .host = host.name, .tls = tls_for(place_, host.name)};
        Opened opened = open(target, share(bounds, addresses.size() - i, clock.now()), clock);
        const bool go_on = !opened && goes_on(opened.error(), bounds, clock.now());
        // Nobody there at a second address says less than what was said at the first.
        if (i == 0 || opened || opened.error().code != nobody_there) first = std::move(opened);
        if (!go_on) break;
    }
    return first;
}

Result<std::unique_ptr<Session>> MariadbDriver::connect(const Connecting& how, Clock& clock) {
    if (place_.hosts.empty()) {
        const Target socket{.host = "localhost", .tls = tls_for(place_, "localhost")};
        PERDURE_TRY_VALUE(std::unique_ptr<Session> session, open(socket, how.bounds, clock));
        return session;
    }
    const std::size_t count = place_.hosts.size();
    const bool from_start = how.remedies.has(Remedy::refresh_routing_account);
    const std::size_t first = from_start ? 0 : last_good_.load(std::memory_order_relaxed);
    Failure why = no_primary();
    for (std::size_t tried = 0; tried < count; ++tried) {
        const std::size_t which = (first + tried) % count;
        const Host& host = place_.hosts[which];
        if (from_start) net::default_resolver().forget(host.name);
        Opened opened = open_host(host, share(how.bounds, count - tried, clock.now()), clock);
        if (opened) {
            const bool skipped =
                count > 1 && how.role == Role::primary && (*opened)->on_read_only_server();
            if (skipped) continue;
            last_good_.store(which, std::memory_order_relaxed);
            return std::unique_ptr<Session>{*std::move(opened)};
        }
        why = std::move(opened).error();
        if (!goes_on(why, how.bounds, clock.now())) break;
    }
    return fail(std::move(why));
}

}  // namespace mariadb_inside

Result<std::shared_ptr<Driver>> mariadb(std::string_view url, MariadbOptions options) {
    using namespace mariadb_inside;
    PERDURE_TRY_VALUE(Place place, read_url(url));
    if (place.tls == MariadbTls::by_host) place.tls = options.tls;
    if (place.tls_ca.empty()) place.tls_ca = options.tls_ca;
    if (place.session_lock) options.session_lock = *place.session_lock;
    const std::string& file =
        place.defaults_file.empty() ? options.defaults_file : place.defaults_file;
    PERDURE_TRY_VALUE(const Settings option_file, read_option_file(file));
    PERDURE_TRY_VALUE(place, complete(std::move(place), environment(), option_file));
    return std::make_shared<MariadbDriver>(std::move(place), std::move(options));
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
