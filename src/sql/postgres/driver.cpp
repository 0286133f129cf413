// SPDX-License-Identifier: Apache-2.0
//
// Which of the servers is it? Each of them is tried at each of its addresses, with a share of the time
// that is left, beginning with the one that was right the last time.
#include <algorithm>
#include <optional>

#include "opening.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/sql/postgres.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// Where nobody waits for an end, a silent server must not keep us from the next one.
constexpr Duration longest_share = 10s;
constexpr std::size_t most_shown = 4;

class Search {
public:
    Search(Common& common, const Connecting& how, Clock& clock)
        : common_{common}, how_{how}, clock_{clock} {}

    Result<Link> run();

private:
    [[nodiscard]] std::vector<std::size_t> order();
    [[nodiscard]] Bounds share(std::size_t candidates_left) const;
    [[nodiscard]] std::optional<Link> at_host(const Host& host, std::size_t hosts_after);
    [[nodiscard]] std::optional<Link>
    at_address(const Host& host, const std::optional<net::Address>& address, const Bounds& bounds);
    void note(const Host& host, Failure failure);
    [[nodiscard]] Fail verdict();

    Common& common_;
    const Connecting& how_;
    Clock& clock_;
    std::optional<Failure> failure_;  // the one to report
    std::string story_;
    std::size_t told_ = 0;
};

std::vector<std::size_t> Search::order() {
    const auto& hosts = common_.target.hosts;
    std::vector<std::size_t> order;
    const bool fresh = how_.remedies.has(Remedy::refresh_routing_account);
    if (!fresh && how_.role == Role::primary) order.push_back(common_.good_host);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (fresh && !hosts[i].local()) net::default_resolver().forget(hosts[i].name);
        if (std::ranges::find(order, i) == order.end()) order.push_back(i);
    }
    return order;
}

Bounds Search::share(std::size_t candidates_left) const {
    const TimePoint now = clock_.now();
    Duration most = how_.bounds.deadline.left(now);
    const auto candidates = static_cast<Duration::rep>(std::max<std::size_t>(candidates_left, 1));
    if (most != never) most /= candidates;
    else if (candidates > 1) most = longest_share;
    most = std::min(most, common_.target.connect_timeout);
    return {.deadline = how_.bounds.deadline.tighter(Deadline::in(most, now)),
            .stop = how_.bounds.stop};
}

bool may_pass(const Failure& failure) noexcept {
    return is_repeatable(failure.cause) && failure.retry_after != never;
}

// A failure that may pass is reported rather than one that stays; it is what a repetition meets.
void Search::note(const Host& host, Failure failure) {
    if (told_++ < most_shown) {
        if (!story_.empty()) story_ += "; ";
        story_ += host.shown() + ": " + failure.message;
    }
    if (!failure_ || (!may_pass(*failure_) && may_pass(failure))) failure_ = std::move(failure);
}

std::optional<Link> Search::at_address(const Host& host, const std::optional<net::Address>& address,
                                       const Bounds& bounds) {
    auto link = open_link(common_, host, address, bounds, clock_);
    Result<void> good{};
    if (!link) good = link.take_failure();
    else if (how_.role == Role::primary) good = check_writable(*link, common_.wording(), bounds);
    if (good) good = settle(*link, common_, bounds);
    if (good) return *std::move(link);
    note(host, std::move(good.error()));
    return std::nullopt;
}

std::optional<Link> Search::at_host(const Host& host, std::size_t hosts_after) {
    if (host.local()) return at_address(host, std::nullopt, share(hosts_after + 1));
    const std::string& name = host.address.empty() ? host.name : host.address;
    const Bounds asking = share(hosts_after + 1);
    auto addresses =
        net::default_resolver().look_up_by(name, host.port, asking.deadline, asking.stop);
    if (!addresses) {
        note(host, std::move(addresses.error()));
        return std::nullopt;
    }
    std::size_t left = addresses->size();
    for (const net::Address& address : *addresses) {
        auto link = at_address(host, address, share(left-- + hosts_after));
        if (link || how_.bounds.stop.stop_requested()) return link;
    }
    return std::nullopt;
}

Result<Link> Search::run() {
    const std::vector<std::size_t> hosts = order();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        auto link = at_host(common_.target.hosts[hosts[i]], hosts.size() - 1 - i);
        if (link) {
            if (how_.role == Role::primary) common_.good_host = hosts[i];
            return *std::move(link);
        }
        if (how_.bounds.stop.stop_requested() || how_.bounds.deadline.passed(clock_.now())) break;
    }
    return verdict();
}

Fail Search::verdict() {
    if (how_.bounds.stop.stop_requested()) failure_ = cut_off(Wait::stopped, During::connecting);
    if (!failure_) failure_ = cut_off(Wait::deadline, During::connecting);
    if (told_ > most_shown) story_ += "; and others";
    failure_->message = "cannot connect to " + common_.target.name + ": " +
                        (story_.empty() ? failure_->message : story_);
    failure_->effect = Effect::none;
    return fail(*std::move(failure_));
}

class PostgresDriver final : public Driver {
public:
    explicit PostgresDriver(std::shared_ptr<Common> common) : common_{std::move(common)} {}

    [[nodiscard]] const Traits& traits() const noexcept override { return traits_; }
    [[nodiscard]] std::string_view name() const noexcept override { return common_->target.name; }
    [[nodiscard]] Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                           Clock& clock) override {
        PERDURE_TRY_VALUE(Link link, Search(*common_, how, clock).run());
        return std::unique_ptr<Session>{
            std::make_unique<PostgresSession>(common_, std::move(link))};
    }

private:
    std::shared_ptr<Common> common_;
    Traits traits_{.product = Product::postgres, .notes_transactions = true};
};

}  // namespace

}  // namespace pg

Result<std::shared_ptr<Driver>> postgres(std::string_view url_or_conninfo,
                                         const PostgresOptions& options) {
    PERDURE_TRY_VALUE(pg::Target target, pg::parse_target(url_or_conninfo));
    auto common = std::make_shared<pg::Common>();
    common->target = std::move(target);
    common->options = options;
    return std::shared_ptr<Driver>{std::make_shared<pg::PostgresDriver>(std::move(common))};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
