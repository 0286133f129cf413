// SPDX-License-Identifier: Apache-2.0
//
// Everything but the deadline is out of the way: one attempt, which may take as long as the call.
#include <thread>

#include "perdure/call/block_on.hpp"
#include "perdure/http/client.hpp"
#include "perdure/net/asio_reactor.hpp"
#include "suffer.hpp"

namespace bench {
namespace {

using namespace perdure;

http::ClientOptions options_for(const Fault& fault, net::Resolver& resolver,
                                net::Reactor* reactor) {
    http::ClientOptions options;
    options.plan = {.name = "late",
                    .deadline = 1min,
                    .attempt_timeout = 1min,
                    .set_up = 1min,
                    .rule = {.attempts = 1}};
    options.pool.max_connections = fault.one_connection ? 1 : 64;
    options.proxy_from = http::ProxyFrom::nowhere;
    // Nobody gets as far as a certificate, and those of the system take long to load.
    options.tls.verify = net::TlsVerify::off;
    options.resolver = &resolver;
    options.environment.executor = reactor;
    return options;
}

// Both drivers share what is asked and of whom.
class Perdure : public Sufferer {
public:
    Perdure(const Fault& fault, net::Reactor* reactor)
        : fault_{fault},
          reactor_{reactor},
          resolver_{fault.name_server.empty()
                        ? net::ResolverOptions{}
                        : net::ResolverOptions{.servers = {fault.name_server}}} {
        if (fault.name_server.empty())
            client_.emplace(fault.origin, options_for(fault, resolver_, reactor));
        if (fault.one_connection) take_the_only_connection();
    }

    Ended once(int run, Duration time) override {
        if (client_) return timed(*client_, time);
        // A name that nobody has asked for yet.
        http::Client named{fault_.origin + std::to_string(run) + ".silent.test",
                           options_for(fault_, resolver_, reactor_)};
        return timed(named, time);
    }

protected:
    virtual Result<http::Response> send(http::Client& client, const http::SendOptions& options) = 0;

private:
    Ended timed(http::Client& client, Duration time) {
        const Clock& clock = system_clock();
        const TimePoint began = clock.now();
        const auto answer = send(client, {.deadline = Deadline::in(time, began)});
        const Duration took = clock.now() - began;
        if (answer) return {"an answer", took};
        return {answer.error().code + " " + std::string{to_string(answer.error().cause)}, took};
    }
    void take_the_only_connection() {
        holder_ = std::jthread{[this](const std::stop_token& stop) {
            (void)client_->send(http::Request::get("/"), {.stop = stop});
        }};
        while (client_->connections().in_use == 0) std::this_thread::yield();
    }

    const Fault& fault_;
    net::Reactor* reactor_;
    net::Resolver resolver_;
    std::optional<http::Client> client_{};
    std::jthread holder_{};
};

class Blocking final : public Perdure {
public:
    explicit Blocking(const Fault& fault) : Perdure{fault, nullptr} {}

private:
    Result<http::Response> send(http::Client& client, const http::SendOptions& options) override {
        return client.send(http::Request::get("/"), options);
    }
};

struct OwnReactor {
    net::AsioReactor reactor{};
};

class Coroutine final : private OwnReactor, public Perdure {
public:
    explicit Coroutine(const Fault& fault) : Perdure{fault, &reactor} {}

private:
    Result<http::Response> send(http::Client& client, const http::SendOptions& options) override {
        return block_on(reactor, client.start(http::Request::get("/"), options));
    }
};

}  // namespace

std::unique_ptr<Sufferer> make_perdure_blocking(const Fault& fault) {
    return std::make_unique<Blocking>(fault);
}
std::unique_ptr<Sufferer> make_perdure_coroutine(const Fault& fault) {
    return std::make_unique<Coroutine>(fault);
}

}  // namespace bench
