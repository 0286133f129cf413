// SPDX-License-Identifier: Apache-2.0
//
// How do I make an HTTP request that ends by its deadline, whatever the network does, and says what
// can have happened?
//
//     perdure::http::Client users{"https://users.internal", {.plan = {.name = "users", .deadline = 3s}}};
//     const auto profile = users.send(http::Request::get("/profiles/7"));      // Result<Response>
//
//     auto call = users.start(http::Request::get("/profiles/7"));              // in a coroutine
//     const auto same = co_await call;                              // two statements
//
// A status from 400 on is a failure, unless the request says `answers(404)`. Nothing is sent twice
// within an attempt; repeating is the plan's business.
#pragma once

#include "perdure/cxx20.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/call/call.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/http/conversation.hpp"
#include "perdure/http/endpoints.hpp"
#include "perdure/http/request.hpp"
#include "perdure/http/response.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/net/tls.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// environment: http_proxy, https_proxy, all_proxy and no_proxy, as curl reads them.
enum class ProxyFrom : std::uint8_t { environment, nowhere, option };
// Whether the server is told how long we wait and who repeats: propagation.hpp.
enum class Tell : std::uint8_t { deadline_and_retries, nothing };
enum class AskFor : std::uint8_t { plain, gzip };

struct ClientOptions {
    // Connection set-up has its own limit beside the attempt timeout, so that a handshake after a
    // deployment does not look like a slow service. `set_up` zero: a third of the deadline, at most 3 s.
    Plan plan{.name = "http"};
    net::TlsOptions tls{};
    net::PoolOptions pool{};  // for each endpoint
    Limits limits{};
    PlaceOptions endpoints{};
    ProxyFrom proxy_from = ProxyFrom::environment;
    std::string proxy{};  // "http://proxy:3128", with ProxyFrom::option
    // How many are followed. To another origin (scheme, host or port) go only a few fields that are no
    // secrets, no idempotency key, and a body (307, 308) only if that is allowed here.
    int redirects = 0;
    bool bodies_to_other_origins = false;
    Tell tell = Tell::deadline_and_retries;
    AskFor encoding = AskFor::plain;
    std::string user_agent = "perdure";  // empty: none
    net::Resolver* resolver = nullptr;   // null: the process's own
    // A coroutine's executor must be a net::Reactor; null: the process's own.
    Environment environment{};
};

// About one call. Views and references must outlive it.
struct SendOptions {
    std::string_view name{};  // in logs and diagnostics; empty: the method
    Deadline deadline{};      // the tighter of this and the plan's counts
    std::stop_token stop{};
    Diagnostics* diagnostics = nullptr;
    const Attempt* within = nullptr;  // the attempt this call is nested in: one attempt here
    Nested nested = Nested::one_attempt;
    Response* last_answer = nullptr;  // the last response that was judged a failure, with its body
};

// Long-lived, one per dependency; safe for any number of threads. Outlives its calls.
class Client {
public:
    // A template, or braces around two literals would be taken for one view with an end.
    template <class Url>
        requires std::convertible_to<const Url&, std::string_view>
    explicit Client(const Url& url, ClientOptions options = {})
        : Client{std::vector<std::string>{std::string{std::string_view{url}}}, std::move(options)} {
    }
    // Several endpoints, the best first: Client{{"https://east.example", "https://west.example"}}.
    explicit Client(const std::vector<std::string>& urls, ClientOptions options = {});
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Why no call can be made: a URL, a file of certificates. Also what each call then returns.
    [[nodiscard]] const Failure* problem() const noexcept;

    // On the caller's thread, with poll().
    Result<Response> send(const Request& request, const SendOptions& options = {});
    // For coroutines, block_on and completion tokens. Made when awaited.
    [[nodiscard]] Call<Result<Response>> start(Request request, SendOptions options = {});

    // Connects and shakes hands with the best endpoint until n connections are idle there; says how
    // many are. Before taking traffic, so that no request pays for it. `at`: there instead.
    Result<int> prewarm(int connections, Deadline deadline = {}, Route* at = nullptr);

    // For rooms that stand on this one: their own conversation, under their own caller. A route is kept as
    // long as it is held; with 200 held besides the given endpoints the next is refused, "too-many-routes".
    [[nodiscard]] Result<std::shared_ptr<Route>> route(std::string_view url);
    // Closes the connections of routes that nothing holds, but for the given endpoints.
    void forget_unused_routes();
    [[nodiscard]] std::size_t routes() const;
    Result<Response> converse(Caller& caller, Conversation& talk, const Operation& operation,
                              const Attempt* parent = nullptr);
    [[nodiscard]] Call<Result<Response>> start_conversing(Caller& caller,
                                                          std::unique_ptr<Conversation> talk,
                                                          const Operation& operation,
                                                          const Attempt* parent = nullptr);

    [[nodiscard]] Caller& caller() noexcept;
    [[nodiscard]] Endpoints& endpoints() noexcept;
    // Connections to the best endpoint.
    [[nodiscard]] net::PoolCounts connections() const;

    struct Inside;  // src/http

private:
    std::unique_ptr<Inside> inside_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
