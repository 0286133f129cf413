// SPDX-License-Identifier: Apache-2.0
//
// What does a client keep between its calls? The plan's memory, connections, keys, regions, containers,
// and a clerk.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "clerk.hpp"
#include "container_shelf.hpp"
#include "errand.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/wire/signature.hpp"
#include "perdure/http/client.hpp"
#include "perdure/http/url.hpp"
#include "regions.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Safe for any number of threads; constant but for what is so by itself.
struct Client::Inside {
    explicit Inside(ClientOptions chosen);
    ~Inside();

    // The failure of a call that was not begun.
    [[nodiscard]] Failure refused(Failure failure) const;
    // Whoever the account may be asked at, the best first.
    [[nodiscard]] RegionList account_places(TimePoint now);
    void notice(const std::string& text) const {
        if (options.notice) options.notice(text);
    }

    // For the clerk.
    template <class R>
    Result<typename R::Answer> fetch(const R& request, const Errand& errand,
                                     const std::stop_token& stop) {
        OrderFor<R> order{request};
        if (auto done = fetch_order(order, errand, stop); !done) return done.take_failure();
        return order.take();
    }
    Result<void> fetch_order(Order& order, const Errand& errand, const std::stop_token& stop);

    ClientOptions options;
    http::Url endpoint{};
    std::optional<MasterKey> key{};
    std::string head{};  // the fields that never change
    std::optional<http::Client> http{};
    std::optional<Caller> caller{};
    std::optional<Caller> errands{};  // of the clerk
    std::optional<Regions> regions{};
    const Region* global = nullptr;
    Place nowhere{"", nullptr, {.failures_to_mark = 0}};  // before the regions are known
    ContainerShelf containers{};
    std::atomic<Duration::rep> skew{0};  // how far the service's clock is ahead of ours
    std::optional<Failure> problem{};
    bool twin = false;
    std::optional<Clerk> clerk{};  // last: it uses the rest

private:
    Result<void> furnish();
    void connect();
    void register_account();

    std::string account_;  // as the process knows it; empty: not yet
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
