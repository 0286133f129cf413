// SPDX-License-Identifier: Apache-2.0
//
// How do I use DynamoDB so that every call ends by its deadline and says what became of it?
//
//     dynamodb::Client orders{{.region = "eu-west-1"}};          // keys as AWS's own tools find them
//     const auto got = orders.send(dynamodb::GetItem{"orders", {{"pk", "o#1"}}});
//     if (!got) log(to_string(got.error()));
//
//     auto call = orders.start(dynamodb::GetItem{"orders", {{"pk", "o#1"}}});   // in a coroutine
//     const auto same = co_await call;                              // two statements
//
// What can be sent: get_item, put_item, update_item, delete_item, create_once, versioned, counted,
// query, scan, transact, tables, and any other operation with JSON by any_operation.hpp. Several pages:
// pages.hpp; hundreds of items: batch_write.hpp and batch_get.hpp; waiting for a table: wait.hpp. All of
// them: requests.hpp.
#pragma once

#include "perdure/cxx20.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/call/call.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/call/task.hpp"
#include "perdure/dynamodb/credentials.hpp"
#include "perdure/dynamodb/order.hpp"
#include "perdure/dynamodb/plans.hpp"
#include "perdure/dynamodb/settings.hpp"
#include "perdure/http/parser.hpp"
#include "perdure/http/response.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/net/tls.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Whether calls slow down by themselves when a table throttles: AWS's "adaptive" mode, a limiter for
// each table. It may delay first attempts too.
enum class Adapt : std::uint8_t { nothing, per_table };

// What is left empty is found as AWS's own tools find it: in the environment, then in the profile.
struct ClientOptions {
    std::string region{};
    std::string endpoint{};  // "http://127.0.0.1:8000" instead of the region's
    std::shared_ptr<Credentials> credentials{};
    std::optional<Plan> plan{};  // else plan_for(Retries::perdure), as the settings change it
    std::optional<Adapt> adapt{};
    // A request whose connection is lost may still arrive. What is not there so long after the last
    // attempt is taken as not done.
    Duration settle = 1s;
    net::TlsOptions tls{};
    net::PoolOptions pool{};
    http::Limits limits{.body = std::size_t{32} << 20u};
    net::Resolver* resolver = nullptr;  // null: the process's own
    // A coroutine's executor must be a net::Reactor; null: the process's own.
    Environment environment{};
    // Where the settings are looked for.
    Surroundings surroundings = Surroundings::of_process();
};

// About one call. Views and references must outlive it.
struct CallOptions {
    Deadline deadline{};  // the tighter of this and the plan's counts
    std::stop_token stop{};
    Diagnostics* diagnostics = nullptr;
    const Attempt* within = nullptr;  // the attempt this call is nested in: one attempt here
    Nested nested = Nested::one_attempt;
    ServiceError* error = nullptr;  // what the service said last: reasons, the item that was there
};

// Long-lived, one per account and region; safe for any number of threads. Outlives its calls.
class Client {
public:
    explicit Client(ClientOptions options = {});
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Why no call can be made: no region, a profile that cannot be read. Also what each call then
    // returns.
    [[nodiscard]] const Failure* problem() const noexcept;

    // On the caller's thread.
    template <Request R>
    Result<typename R::Answer> send(const R& request, const CallOptions& options = {}) {
        OrderFor<R> order{request};
        if constexpr (needs_service_clock<R>) {
            if (auto done = perform_by_clock(order, options); !done) return done.take_failure();
        } else {
            if (auto done = perform(order, options); !done) return done.take_failure();
        }
        return order.take();
    }
    // For coroutines and block_on. Made when awaited.
    template <Request R>
    [[nodiscard]] Pending<Result<typename R::Answer>> start(R request, CallOptions options = {}) {
        OrderFor<R> order{request};
        if constexpr (needs_service_clock<R>) {
            auto learning = learn_clock(order, options);
            auto learned = co_await learning;
            if (!learned) co_return learned.take_failure();
        }
        auto call = begin(order, options);
        if (!call) co_return call.take_failure();
        auto done = co_await *call;
        if (!done) co_return done.take_failure();
        co_return order.take();
    }

    // The same without types; `order` must outlive the call.
    Result<void> perform(Order& order, const CallOptions& options);
    [[nodiscard]] Result<Call<Result<http::Response>>> begin(Order& order,
                                                             const CallOptions& options);

    // Connects and shakes hands until n connections are idle, before taking traffic.
    Result<int> prewarm(int connections, Deadline deadline = {});

    [[nodiscard]] Caller& caller() noexcept;
    [[nodiscard]] const std::string& region() const noexcept;
    [[nodiscard]] const std::string& endpoint() const noexcept;  // its URL
    [[nodiscard]] Duration
    clock_skew() const noexcept;  // how far the service's clock is ahead of ours
    [[nodiscard]] net::PoolCounts connections() const;

    struct Inside;  // src/dynamodb

private:
    Result<void> perform_by_clock(Order& order, const CallOptions& options);
    // Sets the deadline of `options`, which holds for the question and the call together.
    [[nodiscard]] Task<Result<void>> learn_clock(Order& order, CallOptions& options);

    std::unique_ptr<Inside> inside_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
