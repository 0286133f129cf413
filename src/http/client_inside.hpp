// SPDX-License-Identifier: Apache-2.0
//
// What does a client keep between its calls? The caller with the plan's memory, the endpoints and a
// route to each of them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "perdure/http/client.hpp"
#include "route.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Safe for any number of threads.
struct Client::Inside {
    Inside(const EndpointList& urls, ClientOptions chosen);

    // By the endpoint's URL as it was given; made when first asked for, and kept.
    Result<Route*> route(std::string_view url);
    // For a redirect: any route to the same origin, or a new one with the same options.
    Result<Route*> route(const Url& url);

    const ClientOptions options;
    Caller caller;
    Endpoints endpoints;
    net::Reactor* reactor = nullptr;  // null: the process's own, not started before it is needed
    Route* first = nullptr;           // the best of those given
    // The same while there is no other, as there mostly is. Null once somebody may have changed them.
    std::atomic<Route*> only = nullptr;
    std::optional<Failure> problem;

private:
    Result<void> furnish(const EndpointList& urls);
    Result<Route*> make(std::string key, const Url& url);
    std::mutex mutex_;
    std::shared_ptr<net::TlsContext> tls_;
    std::map<std::string, std::unique_ptr<Route>, std::less<>> routes_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
