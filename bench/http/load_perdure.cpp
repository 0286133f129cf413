// SPDX-License-Identifier: Apache-2.0
//
// Perdure as it comes: a client with the default plan, so deadline, attempt timeout, budget and
// latency sketch are all in use. The load is a POST, which the plan would not repeat.
#include <semaphore>

#include "load.hpp"
#include "perdure/call/task.hpp"
#include "perdure/http/client.hpp"
#include "perdure/net/asio_reactor.hpp"

namespace bench {
namespace {

using namespace perdure;

http::Request item() {
    auto request = http::Request::post(std::string{target});
    request.body(request_body(), content_type);
    for (const auto& [name, value] : fields) request.header(name, value);
    return request;
}

http::ClientOptions options_for(const Load& load, net::Reactor* reactor) {
    http::ClientOptions options;
    options.plan.name = "bench";
    options.tls.ca_file = load.ca_file;
    options.pool.max_connections = load.connections;
    options.proxy_from = http::ProxyFrom::nowhere;
    options.environment.executor = reactor;
    return options;
}

void check(const Result<http::Response>& answer, TimePoint began, Tally& tally) {
    if (!answer) give_up("perdure", answer.error().message);
    tally.answered(began, "perdure", answer->status, answer->body.size());
}

class Blocking final : public LoadClient {
public:
    explicit Blocking(const Load& load) : client_{load.origin, options_for(load, nullptr)} {}

    void run(std::uint64_t requests, Tally& tally) override {
        const http::Request request = item();
        for (std::uint64_t i = 0; i < requests; ++i) {
            const TimePoint began = tally.now();
            check(client_.send(request), began, tally);
        }
    }

private:
    http::Client client_;
};

// As many tasks as connections, all of them on the one thread of a reactor.
class Coroutine : public LoadClient {
public:
    explicit Coroutine(const Load& load)
        : tasks_{load.connections}, client_{load.origin, options_for(load, &reactor_)} {}

    void run(std::uint64_t requests, Tally& tally) override {
        left_ = requests;
        Crowd crowd{*this, tally};
        reactor_.post(crowd);
        crowd.all_ended.acquire();
    }

private:
    struct Crowd : Job {
        Crowd(Coroutine& whose, Tally& into) : Job{&Crowd::begin}, self{whose}, tally{into} {}
        static void begin(Job& job) {
            auto& crowd = static_cast<Crowd&>(job);
            crowd.running = crowd.self.tasks_;
            for (int i = 0; i < crowd.self.tasks_; ++i)
                crowd.tasks.push_back(crowd.self.loop(crowd.tally));
            for (auto& task : crowd.tasks)
                if (task.start({&Crowd::ended, &crowd})) ended(&crowd);
        }
        static void ended(void* who) {
            auto& crowd = *static_cast<Crowd*>(who);
            if (--crowd.running == 0) crowd.all_ended.release();
        }
        Coroutine& self;
        Tally& tally;
        int running = 0;
        std::vector<Task<>> tasks{};
        std::binary_semaphore all_ended{0};
    };

    Task<> loop(Tally& tally) {
        const http::Request request = item();
        while (left_ > 0) {
            --left_;
            const TimePoint began = tally.now();
            auto call = client_.start(request);
            const auto answer = co_await call;
            check(answer, began, tally);
        }
    }

protected:
    net::AsioReactor reactor_;
    int tasks_;
    http::Client client_;

private:
    std::uint64_t left_ = 0;
};

// Connections that were not all made at the same moment, which leaves less memory behind.
class Prewarmed final : public Coroutine {
public:
    using Coroutine::Coroutine;
    void run(std::uint64_t requests, Tally& tally) override {
        const auto ready = client_.prewarm(tasks_);
        if (!ready) give_up("perdure", ready.error().message);
        Coroutine::run(requests, tally);
    }
};

}  // namespace

std::unique_ptr<LoadClient> make_perdure_prewarmed(const Load& load) {
    return std::make_unique<Prewarmed>(load);
}
std::unique_ptr<LoadClient> make_perdure_blocking(const Load& load) {
    return std::make_unique<Blocking>(load);
}
std::unique_ptr<LoadClient> make_perdure_coroutine(const Load& load) {
    return std::make_unique<Coroutine>(load);
}

}  // namespace bench
