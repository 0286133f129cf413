// SPDX-License-Identifier: Apache-2.0
//
// What does a client keep between its calls? The caller with the plan's memory, the endpoints and a
// route to each of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/http/client.hpp"
#include "route.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Safe for any number of threads.
struct Client::Inside {
    Inside(const EndpointList& urls, ClientOptions chosen);

    // By the endpoint's URL as it was given; made when first asked for. Kept while it is held, and for as
    // long as there is room.
    Result<std::shared_ptr<Route>> route(std::string_view url);
    // For a redirect: any route to the same origin, or a new one with the same options.
    Result<std::shared_ptr<Route>> route(const Url& url);
    // Of the best endpoint that was given.
    [[nodiscard]] const std::shared_ptr<Route>& first_route() const noexcept {
        return given_.front();
    }
    void forget_unused();
    [[nodiscard]] std::size_t count() const;

    const ClientOptions options;
    Caller caller;
    Endpoints endpoints;
    net::Reactor* reactor = nullptr;  // null: the process's own, not started before it is needed
    Route* first = nullptr;           // the best of those given
    // The same while there is no other, as there mostly is. Null once somebody may have changed them.
    std::atomic<Route*> only = nullptr;
    std::optional<Failure> problem;

private:
    struct Kept {
        std::shared_ptr<Route> route{};
        std::uint64_t last_use = 0;
        // Nobody else can begin to hold it while the mutex is held.
        [[nodiscard]] bool unused() const noexcept { return route.use_count() == 1; }
    };
    using Routes = std::map<std::string, Kept, std::less<>>;
    using Lock = std::lock_guard<std::mutex>;

    Result<void> furnish(const EndpointList& urls);
    Result<std::shared_ptr<Route>> make(std::string key, const Url& url);
    std::shared_ptr<Route> used(const Lock& lock, Kept& kept);
    [[nodiscard]] bool full(const Lock& lock) const;
    // The route that has been unused for longest, if there is one.
    Routes::node_type take_oldest_unused(const Lock& lock);
    mutable std::mutex mutex_;
    std::shared_ptr<net::TlsContext> tls_;
    Routes routes_;
    std::uint64_t uses_ = 0;
    std::vector<std::shared_ptr<Route>> given_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
