// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/client.hpp"

#include <system_error>
#include <utility>

#include "async_call.hpp"
#include "client_inside.hpp"
#include "exchange.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/net/poller.hpp"
#include "perdure/time/start_thread.hpp"
#include "refused_call.hpp"
#include "sending.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// The blocking driver: everything happens on the caller's thread.
template <class Engine>
Result<Response> drive(Engine& engine, net::Poller& poller, const Clock& clock, TimePoint now,
                       const std::stop_token& stop) {
    const Duration cpu = engine.record() ? clock.thread_cpu() : Duration::zero();
    net::Wants wants;
    for (;; now = clock.now()) {
        if (stop.stop_requested()) engine.cancel(now);
        if (engine.turn(now, wants)) break;
        poller.wait(wants, clock.now());
    }
    if (engine.record()) engine.record()->note_cpu(clock.thread_cpu() - cpu);
    return engine.take();
}

// Asio throws when it cannot have the descriptors that a reactor needs; the next call may be luckier.
template <class Making, class... Parts>
Call<Result<Response>> start_on(net::Reactor* given, const Operation& operation, Parts&&... parts) {
    try {
        net::Reactor& reactor = given ? *given : net::default_reactor();
        return Call<Result<Response>>{
            new AsyncCall<Making>{reactor, operation, std::forward<Parts>(parts)...}};
    } catch (const std::system_error& error) {
        const bool thread = error.code() == std::errc::resource_unavailable_try_again;
        return Call<Result<Response>>{
            new RefusedCall{thread ? detail::no_thread(error.code())
                                   : net::failure_of(error.code().value(), net::Doing::opening)}};
    }
}

struct MakeSending {
    using Engine = Sending;
    void make(std::optional<Sending>& engine, net::Waker& waker, TimePoint now) {
        engine.emplace(*client, request, options, waker, now);
    }
    void let_go() noexcept {}  // all of it is its own
    Client::Inside* client;
    Request request;
    SendOptions options;
};

struct MakeExchange {
    using Engine = Exchange;
    void make(std::optional<Exchange>& engine, net::Waker& waker, TimePoint now) {
        engine.emplace(*caller, *talk, operation, parent, waker, now);
    }
    void let_go() noexcept { talk.reset(); }
    Caller* caller;
    std::unique_ptr<Conversation> talk;
    Operation operation;
    const Attempt* parent;
};

}  // namespace

Client::Client(const std::vector<std::string>& urls, ClientOptions options)
    : inside_{std::make_unique<Inside>(urls, std::move(options))} {}
Client::~Client() = default;

const Failure* Client::problem() const noexcept {
    return inside_->problem ? &*inside_->problem : nullptr;
}

Result<Response> Client::send(const Request& request, const SendOptions& options) {
    const Clock& clock = inside_->options.environment.clock;
    const TimePoint now = clock.now();
    net::Poller poller{options.stop};
    Sending sending{*inside_, request, options, poller, now};
    return drive(sending, poller, clock, now, options.stop);
}

Call<Result<Response>> Client::start(Request request, SendOptions options) {
    const Operation watched{.stop = options.stop};
    return start_on<MakeSending>(inside_->reactor, watched, inside_.get(), std::move(request),
                                 std::move(options));
}

Result<Response> Client::converse(Caller& caller, Conversation& talk, const Operation& operation,
                                  const Attempt* parent) {
    if (inside_->problem) return fail(*inside_->problem);
    const Clock& clock = caller.environment().clock;
    const TimePoint now = clock.now();
    net::Poller poller{operation.stop};
    Exchange exchange{caller, talk, operation, parent, poller, now};
    return drive(exchange, poller, clock, now, operation.stop);
}

Call<Result<Response>> Client::start_conversing(Caller& caller, std::unique_ptr<Conversation> talk,
                                                const Operation& operation, const Attempt* parent) {
    if (inside_->problem) return Call<Result<Response>>{new RefusedCall{*inside_->problem}};
    return start_on<MakeExchange>(inside_->reactor, operation, &caller, std::move(talk), operation,
                                  parent);
}

Result<std::shared_ptr<Route>> Client::route(std::string_view url) {
    if (inside_->problem) return fail(*inside_->problem);
    return inside_->route(url);
}

void Client::forget_unused_routes() { inside_->forget_unused(); }
std::size_t Client::routes() const { return inside_->count(); }

Caller& Client::caller() noexcept { return inside_->caller; }

Endpoints& Client::endpoints() noexcept {
    inside_->only = nullptr;  // whoever has them may change them
    return inside_->endpoints;
}

net::PoolCounts Client::connections() const {
    return inside_->first ? inside_->first->pool.counts() : net::PoolCounts{};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
