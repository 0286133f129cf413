// SPDX-License-Identifier: Apache-2.0
//
// How do I use Azure Cosmos DB so that every call ends by its deadline, moves to another region when
// one is gone, and says what became of it?
//
//     cosmos::Client shop{{.endpoint = "https://acct.documents.azure.com:443/", .key = key,
//                          .preferred = {"West Europe", "North Europe"}}};
//     const auto order = shop.send(cosmos::ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"o-1"}});
//     if (!order) log(to_string(order.error()));
//
//     auto call = shop.start(cosmos::ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"o-1"}});
//     const auto same = co_await call;                               // in a coroutine
//
// What can be sent: read_item, write_item, create_once, replace_versioned, patch_item, query, batch,
// databases, containers; all of them: requests.hpp. Several pages: pages.hpp; a loop of read, change and
// replace: modify.hpp.
#pragma once

#include "perdure/cxx20.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/call/call.hpp"
#include "perdure/call/callback.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/call/task.hpp"
#include "perdure/cosmos/order.hpp"
#include "perdure/cosmos/story.hpp"
#include "perdure/cosmos/token_source.hpp"
#include "perdure/cosmos/wire/partition_ranges.hpp"
#include "perdure/http/parser.hpp"
#include "perdure/http/response.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/net/tls.hpp"
#include "perdure/policy/place.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// whole_account: its regions are read from the account and followed. endpoint_only: every call goes to
// the given address, whatever happens.
enum class Discovery : std::uint8_t { whole_account, endpoint_only };
// Whether several regions take this client's writes, where the account allows it.
enum class Writes : std::uint8_t { first_region, every_region };

// The first three are each time up to a tenth longer, so that clients do not act together.
struct RegionOptions {
    Duration mark_for = 5min;       // how long a region that was lost is asked last
    Duration probe_every = 30s;     // a lost region is asked whether it is back
    Duration refresh_every = 5min;  // of the account document
    Duration refresh_apart = 5s;    // refreshes that nobody insists on
    int timeouts_to_mark = 3;       // in a row, without an answer between them; 0: never
    // A region, or a partition range in it, that fails in a row is asked last for so long; then one
    // call tries it alone. For reads and writes apart.
    PlaceOptions health{};
    // The account document names the regions' addresses. One outside the domain of `endpoint` is not
    // used, unless its host is one of these or under one of them: wire/location_rule.hpp.
    std::vector<std::string> other_domains{};
};

// Calls that took long are shown to somebody; by the numbers of .NET.
struct SlowCalls {
    Duration point = 1s;                  // about one item
    Duration other = 3s;                  // queries and the rest
    Callback<void(const Story&)> show{};  // any thread; empty: nobody
};

struct ClientOptions {
    std::string endpoint{};                 // "https://acct.documents.azure.com:443/"
    std::string key{};                      // of the account, base64; or:
    std::string connection_string{};        // both of the above; or:
    std::shared_ptr<TokenSource> tokens{};  // Entra ID or resource tokens instead of a key
    std::vector<std::string>
        preferred{};                      // regions, the best first; empty: as the account has them
    std::vector<std::string> excluded{};  // regions that are never used for items
    Discovery discovery = Discovery::whole_account;
    Writes writes = Writes::every_region;
    std::optional<Consistency> consistency{};  // of reads, weaker than the account's own
    std::optional<Plan> plan{};                // else plan_for(Retries::perdure)
    // Reads get one copy in another region after so long; unset: none.
    std::optional<Duration> hedge_after{};
    RegionOptions regions{};
    SlowCalls slow{};
    // What a person should hear once: another client for the same account, what the account asks for
    // and this client does not do. Any thread; empty: nobody.
    Callback<void(const std::string&)> notice{};
    // A request whose connection is lost may still be worked on. What is not there so long after the last
    // attempt is taken as not done; the service gives no request more than 5 s.
    Duration settle = 5s;
    net::TlsOptions tls{};
    net::PoolOptions pool{};
    http::Limits limits{.body = std::size_t{8} << 20u};
    std::string user_agent = "perdure";
    net::Resolver* resolver = nullptr;  // null: the process's own
    // A coroutine's executor must be a net::Reactor; null: the process's own.
    Environment environment{};
};

// About one call. Views and references must outlive it.
struct CallOptions {
    Deadline deadline{};  // the tighter of this and the plan's counts
    std::stop_token stop{};
    Story* story = nullptr;           // filled for successes too: story.hpp
    const Attempt* within = nullptr;  // the attempt this call is nested in: one attempt here
    Nested nested = Nested::one_attempt;
    std::vector<std::string> excluded{};  // further regions that this call does not use
    std::string session{};                // instead of what this client has seen: another's token
    // Further header fields of this call's requests, as x-ms-cosmos-priority-level: Low. One that the
    // client writes itself is refused, and so is a line end in it.
    std::vector<std::pair<std::string, std::string>> headers{};
    // May change the request that was given to `send` and say true for "try it so", after a refusal
    // that repeating does not help: a full partition (403/1014). Not for `start`, which has a copy.
    FunctionRef<bool(const Failure&)> amend{};
};

// Long-lived, one per account; safe for any number of threads. Outlives its calls. A second one for the
// same account in a process is reported once (`Client::twin()`), because it doubles what the account is
// asked for and halves what each of them knows.
class Client {
public:
    explicit Client(ClientOptions options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Why no call can be made: no endpoint, a key that is none. Also what each call then returns.
    [[nodiscard]] const Failure* problem() const noexcept;
    // Whether another client of this process was there for the same account when this one was made.
    [[nodiscard]] bool twin() const noexcept;

    // On the caller's thread.
    template <Request R>
    Result<typename R::Answer> send(const R& request, const CallOptions& options = {}) {
        OrderFor<R> order{request};
        if (auto done = perform(order, options); !done) return done.take_failure();
        return order.take();
    }
    // For coroutines and block_on. Made when awaited.
    template <Request R>
    [[nodiscard]] Pending<Result<typename R::Answer>> start(R request, CallOptions options = {}) {
        OrderFor<R> order{request};
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

    // The partition ranges of a container, in order of their keys. `than`: newer than these, because a
    // range of theirs is gone.
    using Ranges = std::shared_ptr<const RoutingMap>;
    Result<Ranges> ranges(const ContainerName& container, const CallOptions& options = {},
                          Ranges than = {});
    [[nodiscard]] Pending<Result<Ranges>> start_ranges(ContainerName container,
                                                       CallOptions options = {}, Ranges than = {});

    // What a read elsewhere must send to see what this client has seen of this key; empty: nothing yet.
    [[nodiscard]] std::string session_of(const ContainerName& container, const PartitionKey& key);

    // Reads the account and connects to the best region until n connections are idle there.
    Result<int> prewarm(int connections, Deadline deadline = {});

    // The regions reads go to and writes go to just now, the best first. Empty before the first call.
    [[nodiscard]] std::vector<std::string> read_regions() const;
    [[nodiscard]] std::vector<std::string> write_regions() const;

    [[nodiscard]] Caller& caller() noexcept;

    struct Inside;  // src/cosmos

private:
    std::unique_ptr<Inside> inside_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
